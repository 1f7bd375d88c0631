import type { TLSSocket } from 'node:tls';

export const HTTP2_IMPLEMENTATIONS = ['own', 'node'] as const;

/** The HTTP/2 implementation (`--http2-implementation`): `src/endpoints/http2` or node:http2. */
export type Http2Implementation = (typeof HTTP2_IMPLEMENTATIONS)[number];

/** The server's side of one HTTP/2 connection, for either implementation. */
export interface Http2Session {
  readonly socket: TLSSocket;
  /** Whether no request is in progress. */
  readonly isIdle: boolean;
  /** Tells the client to use another connection; streams already on their way are still accepted. */
  announceEnd(): void;
  /** Accepts no more streams, and ends the connection when those in progress have ended. */
  leave(): void;
}
