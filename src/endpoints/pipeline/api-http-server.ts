import type { IncomingMessage } from 'node:http';
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import { createSecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { TlsMaterial } from '../http-application-options.js';
import { secureContextOptions } from './secure-context.js';
import type { RawRequest, RawResponse } from '../request/api-request.js';
import { upgradableResponse, wantsWebSocket } from '../web-socket/upgrade.js';

/** Go's limit for all headers together; Node's own is 16 KiB. */
const MAX_HEADER_BYTES = 1024 * 1024;
/** Headers of one request: what node:http takes by default; over HTTP/2 it would be 128. */
const MAX_HEADERS = 2000;
/** Streams at a time on one HTTP/2 connection: Go's default. */
const MAX_STREAMS = 250;
/** Megabytes that Node lets one HTTP/2 session use before it refuses streams. */
const SESSION_MEMORY_MB = 256;
const KEEP_ALIVE_MS = 90_000;

/** A server for HTTP/2 and HTTP/1.1 over TLS, chosen by ALPN. */
export function createApiHttpServer(tls: TlsMaterial, listener: (raw: RawRequest, response: RawResponse) => void): Http2SecureServer {
  const server = createSecureServer(
    {
      ...secureContextOptions(tls),
      allowHTTP1: true,
      // Who shows none or a bad one may still have a token: authentication decides.
      requestCert: tls.clientAuthorities !== undefined,
      rejectUnauthorized: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Any other upgrade that a client offers is passed over, as HTTP allows.
      shouldUpgradeCallback: wantsWebSocket,
      maxHeaderListPairs: MAX_HEADERS,
      maxSessionMemory: SESSION_MEMORY_MB,
      settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_HEADER_BYTES },
    } as Parameters<typeof createSecureServer>[0],
    listener,
  );
  server.on('upgrade', (raw: IncomingMessage, socket: Socket, head: Buffer) => listener(raw, upgradableResponse(raw, { socket, head })));
  Object.assign(server, { keepAliveTimeout: KEEP_ALIVE_MS });
  return server;
}

/** The connections of a server, so that a shutdown can end them: politely first, then for good. */
export class OpenConnections {
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #sockets = new Set<Socket>();

  constructor(server: Http2SecureServer) {
    server.on('session', (session) => {
      this.#sessions.add(session);
      session.on('close', () => this.#sessions.delete(session));
      // A broken connection shows in its streams; without a listener it would end the process.
      session.on('error', () => this.#sessions.delete(session));
    });
    server.on('secureConnection', (socket: TLSSocket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => socket.destroy());
    });
  }

  /** Lets HTTP/2 clients know that no new streams are taken; streams under way go on. */
  retire(): void {
    for (const session of this.#sessions) session.close();
  }

  destroy(): void {
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }
}
