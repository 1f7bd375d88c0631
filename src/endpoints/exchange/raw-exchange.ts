import type { X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ClientConnection } from '../../auth/authentication/authenticator.js';
import type { ConnectionAccount } from '../ledger/connection-account.js';

/** The result of reading a body. `gone`: the client will not send the rest. */
export type BodyOutcome = Buffer | 'too large' | 'gone';

/** An HTTP/2 request, from either implementation. */
export interface RawHttp2Request {
  /** Writable, because the pipeline changes method and URL for the framework's router. */
  method: string;
  url: string;
  readonly httpVersion: string;
  /** By name, including pseudo-headers. */
  readonly headers: IncomingHttpHeaders;
  /** Alternating names and values, as received. */
  readonly rawHeaders: readonly string[];
  /** The TLS socket of the connection; the same object for all its requests. */
  readonly socket: Socket;
  /** Accounts for the memory that the connection makes the server hold. */
  readonly account: ConnectionAccount;
  /** Whether the whole body has arrived. */
  readonly complete: boolean;
  /** Whether the stream ended before the body did. */
  readonly aborted: boolean;
  /**
   * Reads the whole body; may be called once. A client that expects 100-continue is told to send it. `done` is called once: with the body,
   * at the first byte beyond the limit, or when the stream ends before the body does.
   */
  collect(limit: number, done: (outcome: BodyOutcome) => void): void;
}

/** A request over either protocol. */
export type RawRequest = IncomingMessage | RawHttp2Request;

/** The response to a request over either protocol, with the property names of node:http's ServerResponse. */
export interface RawResponse {
  statusCode: number;
  readonly headersSent: boolean;
  /** Whether `end` has been called. */
  readonly writableEnded: boolean;
  /** Whether nothing can be sent any more. */
  readonly destroyed: boolean;
  /** False closes an HTTP/1.1 connection after this response; ignored by HTTP/2. */
  shouldKeepAlive: boolean;
  writeHead(status: number, headers?: OutgoingHttpHeaders): this;
  /** Sends the headers now instead of with the first bytes of the body. */
  flushHeaders(): void;
  /** Calls `sent` when the bytes are on their way; with an error, or never, if they will not be sent. */
  write(bytes: Buffer | string, sent?: (error?: Error | null) => void): unknown;
  end(bytes?: Uint8Array | string): unknown;
  /** Aborts the response, so that the client cannot mistake it for a complete one. */
  destroy(): unknown;
  /** `close` is emitted once: when the response has been handed over, or when its stream is closed. */
  on(event: 'close', listener: () => void): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/** Limit on the number of certificates read from a client's chain. */
const MAX_CERTIFICATES = 16;

const connections = new WeakMap<object, ClientConnection>();

/** The connection object shared by all requests of a socket. Certificates are read on first use. */
export function clientConnection(socket: Socket): ClientConnection {
  let connection = connections.get(socket);
  if (!connection) {
    connection = new TlsClientConnection(socket as TLSSocket);
    connections.set(socket, connection);
  }
  return connection;
}

class TlsClientConnection implements ClientConnection {
  readonly #socket: TLSSocket;
  #certificates: readonly X509Certificate[] | undefined;

  constructor(socket: TLSSocket) {
    this.#socket = socket;
  }

  get certificates(): readonly X509Certificate[] {
    return (this.#certificates ??= readCertificates(this.#socket));
  }
}

/**
 * The certificates in the order in which the client sent them. Reading takes all but the first out of the TLS connection, so it happens
 * once, and Node must not have done it before (NO_VERDICT in tls-material.ts).
 */
function readCertificates(socket: TLSSocket): X509Certificate[] {
  const certificates: X509Certificate[] = [];
  // Undefined without a certificate, and once the connection is closed.
  let next = socket.getPeerX509Certificate();
  while (next && certificates.length < MAX_CERTIFICATES) {
    certificates.push(next);
    next = next.issuerCertificate;
  }
  return certificates;
}
