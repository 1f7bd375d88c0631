import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionAccount } from '../ledger/connection-account.js';

/** The result of reading a body. `gone`: the client does not send the rest of it. */
export type BodyOutcome = Buffer | 'too large' | 'gone';

/** A request over HTTP/2, from either implementation. */
export interface RawHttp2Request {
  /** The pipeline renames method and URL for the framework's router. */
  method: string;
  url: string;
  readonly httpVersion: string;
  /** By name; pseudo-headers are among them. */
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  /** The TLS socket of the connection, the same object for all its requests. */
  readonly socket: Socket;
  /** Accounts for the memory that the connection makes the server hold. */
  readonly account: ConnectionAccount;
  /** Whether the body has come to its end. */
  readonly complete: boolean;
  /** Whether the stream ended before the body did. */
  readonly aborted: boolean;
  /**
   * Reads the whole body, once. A client that expects 100-continue is told to send it. `done` is called once: with the body, or with
   * the first byte beyond the limit, or when the stream ends before the body does.
   */
  collect(limit: number, done: (outcome: BodyOutcome) => void): void;
}

/** A request, over either protocol. */
export type RawRequest = IncomingMessage | RawHttp2Request;

/** The response to a request, over either protocol. The names are those of node:http's ServerResponse. */
export interface RawResponse {
  statusCode: number;
  readonly headersSent: boolean;
  /** `end` has been called. */
  readonly writableEnded: boolean;
  /** All of it has been given to the connection. */
  readonly writableFinished: boolean;
  /** Nothing can be sent any more. */
  readonly destroyed: boolean;
  /** False ends an HTTP/1.1 connection after this response; HTTP/2 ignores it. */
  shouldKeepAlive: boolean;
  writeHead(status: number, headers?: OutgoingHttpHeaders): this;
  /** Sends the headers now instead of with the first bytes of the body. */
  flushHeaders(): void;
  /** `sent` is called when the bytes are on their way; with an error, or never, if they will not be. */
  write(bytes: Buffer | string, sent?: (error?: Error | null) => void): unknown;
  end(bytes?: Uint8Array | string): unknown;
  /** Aborts the response, so that the client cannot mistake it for a complete one. */
  destroy(): unknown;
  /** `close` is emitted once: when the response has been handed over or its stream is closed. */
  on(event: 'close', listener: () => void): unknown;
  once(event: 'close', listener: () => void): unknown;
}
