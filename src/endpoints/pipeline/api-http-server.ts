import type { IncomingMessage } from 'node:http';
import type { Http2SecureServer } from 'node:http2';
import { createSecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import type { ConnectionLimits } from '../connections/connection-limits.js';
import type { TlsMaterial } from '../http-application-options.js';
import { secureContextOptions } from './secure-context.js';
import type { RawRequest, RawResponse } from '../request/api-request.js';
import { upgradableResponse, wantsWebSocket } from '../web-socket/upgrade.js';

/** Go's limit for all headers together; Node's own is 16 KiB. */
const MAX_HEADER_BYTES = 1024 * 1024;
/** Headers of one request: what node:http takes by default; over HTTP/2 it would be 128. */
const MAX_HEADERS = 2000;
/** Megabytes that Node lets one HTTP/2 session use before it refuses streams. */
const SESSION_MEMORY_MB = 64;
const KEEP_ALIVE_MS = 90_000;
/** For the headers of a request over HTTP/1.1, the first of a connection included (apiserver server/secure_serving.go). */
const HEADERS_MS = 32_000;
const HANDSHAKE_MS = 10_000;
/** How often the time for headers is looked at. */
const CHECK_MS = 2000;

/**
 * A server for HTTP/2 and HTTP/1.1 over TLS, chosen by ALPN. Resets of streams are limited by nghttp2 itself, to a burst of 1,000 and 33
 * a second on one connection, which is closed then.
 */
export function createApiHttpServer(
  tls: TlsMaterial,
  limits: ConnectionLimits,
  listener: (raw: RawRequest, response: RawResponse) => void,
): Http2SecureServer {
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
      handshakeTimeout: HANDSHAKE_MS,
      headersTimeout: HEADERS_MS,
      connectionsCheckingInterval: CHECK_MS,
      maxHeaderListPairs: MAX_HEADERS,
      maxSessionMemory: SESSION_MEMORY_MB,
      settings: { maxConcurrentStreams: limits.maxStreams, maxHeaderListSize: MAX_HEADER_BYTES },
    } as Parameters<typeof createSecureServer>[0],
    listener,
  );
  server.on('upgrade', (raw: IncomingMessage, socket: Socket, head: Buffer) => listener(raw, upgradableResponse(raw, { socket, head })));
  Object.assign(server, { keepAliveTimeout: KEEP_ALIVE_MS });
  if (limits.maxConnections > 0) server.maxConnections = limits.maxConnections;
  return server;
}
