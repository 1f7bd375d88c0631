import type { TLSSocket } from 'node:tls';

export const HTTP2_IMPLEMENTATIONS = ['own', 'node'] as const;

/** Who speaks HTTP/2 (`--http2-implementation`): `src/endpoints/http2`, or node:http2. */
export type Http2Implementation = (typeof HTTP2_IMPLEMENTATIONS)[number];

/** The server's side of one HTTP/2 connection, whichever implementation speaks it. */
export interface Http2Session {
  readonly socket: TLSSocket;
  /** Whether no request is under way. */
  readonly isIdle: boolean;
  /** Tells the client to use another connection; streams that are on their way are still taken. */
  announceEnd(): void;
  /** Takes no more streams, and ends when those under way have ended. */
  leave(): void;
}
