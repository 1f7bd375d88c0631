import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Server, type ServerOptions, createServer } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { AddressRanges } from '../connections/connection-limits.js';
import { type Http2Implementation, type Http2Session, tcpSocketOf } from '../connections/open-connection.js';
import { PipelinedRequests, WorkTurns } from '../connections/work-turns.js';
import type { RawRequest, RawResponse } from '../exchange/raw-exchange.js';
import { chargeMessage } from '../exchange/read-body.js';
import { NodeHttp2Session } from '../http2-node/node-http2-session.js';
import { Http2Connection } from '../http2/http2-connection.js';
import type { ConnectionAccount } from '../ledger/connection-account.js';
import { type MemoryLedger, openAccount } from '../ledger/memory-ledger.js';
import { upgradableResponse, wantsWebSocket } from '../web-socket/web-socket-sink.js';
import { readProxyHeaders } from './proxy-protocol.js';

/** Go's limit on all headers together; Node's own is 16 KiB. */
const MAX_HEADER_BYTES = 1024 * 1024;
/** Maximum number of headers of one request: node:http's default. */
const MAX_HEADERS = 2000;
const KEEP_ALIVE_MS = 90_000;
/** Time limit for the headers of an HTTP/1.1 request, including the first of a connection (apiserver server/secure_serving.go). */
const HEADERS_MS = 32_000;
const HANDSHAKE_MS = 10_000;
/**
 * TCP probes a connection after this much silence, as Go's listeners do (net.ListenConfig). The connection ends after ten unanswered
 * probes, sent at libuv's interval of one second. HTTP/2 and WebSocket connections are pinged in addition (ClientTimeouts).
 */
const PROBE_AFTER_MS = 15_000;
/** How often the time limit for headers is checked. */
const CHECK_MS = 2000;

export interface ApiHttpServerOptions {
  /** Whether clients are asked for a certificate. */
  readonly requestClientCertificates: boolean;
  /** Of one connection: concurrent ones over HTTP/2, pipelined requests over HTTP/1.1. */
  readonly maxStreams: number;
  readonly http2Implementation: Http2Implementation;
  /** Proxies whose connections begin with a PROXY header. */
  readonly proxyProtocol?: readonly string[] | undefined;
  /** Called for each connection. */
  readonly ledger: () => MemoryLedger;
  readonly listener: (raw: RawRequest, response: RawResponse) => void;
}

/**
 * A server for HTTP/2 and HTTP/1.1 over TLS, selected by ALPN. Emits `http2` with the Http2Session of each HTTP/2 connection. It has no
 * certificate before `setSecureContext` is called.
 */
export function createApiHttpServer(options: ApiHttpServerOptions): Server {
  const turns = new WorkTurns();
  const { request, unexpected, upgrade } = http1Listeners(options, turns);
  const server = createServer(
    {
      ALPNProtocols: ['h2', 'http/1.1'],
      // A client without a certificate, or with an invalid one, may still have a token: authentication decides.
      requestCert: options.requestClientCertificates,
      rejectUnauthorized: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      // http1Fault looks for it.
      requireHostHeader: false,
      // Any other upgrade offered by a client is ignored, as HTTP permits.
      shouldUpgradeCallback: wantsWebSocket,
      handshakeTimeout: HANDSHAKE_MS,
      headersTimeout: HEADERS_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: CHECK_MS,
      keepAlive: true,
      keepAliveInitialDelay: PROBE_AFTER_MS,
    } as ServerOptions,
    request,
  );
  server.on('upgrade', upgrade);
  // Only a handler that reads the body asks for it.
  server.on('checkContinue', request);
  server.on('checkExpectation', unexpected);
  serveConnections(server, options, turns);
  rejectPlainHttp(server);
  if (options.proxyProtocol?.length) readProxyHeaders(server, new AddressRanges(options.proxyProtocol));
  return server;
}

/** Listeners for HTTP/1.1 requests, including those that ask for a WebSocket. */
function http1Listeners({ maxStreams, listener }: ApiHttpServerOptions, turns: WorkTurns) {
  const pipelined = new PipelinedRequests(maxStreams, turns);
  const begin = (raw: IncomingMessage, response: ServerResponse): ServerResponse => {
    const fault = http1Fault(raw);
    if (fault === undefined) listener(raw, response);
    else refuseHttp1(response, fault);
    return response;
  };
  return {
    request: (raw: IncomingMessage, response: ServerResponse): void => {
      if (chargeMessage(raw, response)) pipelined.add(raw.socket, () => begin(raw, response));
    },
    unexpected: (raw: IncomingMessage, response: ServerResponse): void => {
      if (chargeMessage(raw, response)) pipelined.add(raw.socket, () => refuseExpectation(response));
    },
    // Until its turn comes, the connection belongs to earlier responses.
    upgrade: (raw: IncomingMessage, socket: Socket, head: Buffer): void =>
      pipelined.add(socket, () => {
        const response = upgradableResponse(raw, { socket, head });
        return chargeMessage(raw, response) ? begin(raw, response) : response;
      }),
  };
}

/**
 * Opens the account of each connection. Connections that negotiate HTTP/2 are taken away from node:https, which would treat them as
 * HTTP/1.1.
 */
function serveConnections(server: Server, options: ApiHttpServerOptions, turns: WorkTurns): void {
  const http1 = server.listeners('secureConnection') as ((this: Server, socket: TLSSocket) => void)[];
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket) => {
    const account = openAccount(options.ledger(), socket);
    if (socket.alpnProtocol === 'h2') server.emit('http2', http2Session(options, { socket, account, turns }));
    else {
      closeWithoutStacks(socket);
      for (const serve of http1) serve.call(server, socket);
    }
  });
}

/**
 * node:http creates an error for each request left unanswered by a closed connection and reads its stack. For a client that sent a hundred
 * requests and hung up, this took more time than everything else it could cause.
 */
function closeWithoutStacks(socket: TLSSocket): void {
  socket.on('close', () => {
    const { stackTraceLimit } = Error;
    if (stackTraceLimit === 0) return;
    Error.stackTraceLimit = 0;
    // Runs after the other listeners, even if they throw.
    queueMicrotask(() => (Error.stackTraceLimit = stackTraceLimit));
  });
}

function http2Session(
  options: ApiHttpServerOptions,
  { socket, account, turns }: { socket: TLSSocket; account: ConnectionAccount; turns: WorkTurns },
): Http2Session {
  const { http2Implementation, listener, maxStreams } = options;
  const limits = { maxStreams, maxHeaderBytes: MAX_HEADER_BYTES, maxHeaders: MAX_HEADERS };
  if (http2Implementation === 'node') return new NodeHttp2Session(socket, limits, listener);
  return new Http2Connection({ socket, account, limits, turns, onRequest: listener });
}

/** Characters that Go's net/http accepts in a Host header (golang.org/x/net/http/httpguts ValidHostHeader). */
const HOST = /^[-\w!$%&'()*+,.:;=[\]~]*$/;

const BEYOND_INT64 = 2 ** 63;

/** Why Go refuses a request; after the status, its reason phrase and its body. */
const REASONS = {
  '400 Bad Request': '400 Bad Request',
  '400 Bad Request: missing required Host header': '400 Bad Request: missing required Host header',
  '400 Bad Request: malformed Host header': '400 Bad Request: malformed Host header',
  '501 Not Implemented': 'Unsupported transfer encoding',
  '505 HTTP Version Not Supported: unsupported protocol version': '505 HTTP Version Not Supported: unsupported protocol version',
} as const;

type Http1Fault = keyof typeof REASONS;

/**
 * The status line of a request that node:http accepts and Go's net/http rejects: other versions, no Host or several, a Host with invalid
 * characters, lengths beyond 64 bits, and transfer codings other than chunked. Undefined for a valid request.
 */
export function http1Fault(raw: IncomingMessage): Http1Fault | undefined {
  const { httpVersionMajor: major, httpVersionMinor: minor, rawHeaders, headers } = raw;
  if (major !== 1) return major === 0 ? '400 Bad Request' : '505 HTTP Version Not Supported: unsupported protocol version';
  const hosts = hostsIn(rawHeaders);
  if (hosts === 0 && minor >= 1) return '400 Bad Request: missing required Host header';
  if (hosts > 1 || Number(headers['content-length'] ?? 0) >= BEYOND_INT64) return '400 Bad Request';
  if (!HOST.test(headers.host ?? '')) return '400 Bad Request: malformed Host header';
  const coding = headers['transfer-encoding'];
  return coding !== undefined && coding.toLowerCase() !== 'chunked' ? '501 Not Implemented' : undefined;
}

function hostsIn(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}

/** Rejects the request and ends its connection, because the start of the next request is uncertain. */
function refuseHttp1(response: ServerResponse, fault: Http1Fault): void {
  response.shouldKeepAlive = false;
  const body = REASONS[fault];
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'content-length': Buffer.byteLength(body) };
  response.writeHead(Number(fault.slice(0, 3)), fault.slice(4), headers);
  response.end(body);
}

/** An expectation other than 100-continue gets 417 (Go: net/http sendExpectationFailed). */
function refuseExpectation(response: ServerResponse): ServerResponse {
  response.shouldKeepAlive = false;
  response.writeHead(417, { 'content-length': 0 });
  return response.end();
}

/** The text of Go's server, and a redirect for browsers that keeps the path. */
const BODY = `Client sent an HTTP request to an HTTPS server.\n<script>location.protocol = 'https:'</script>\n`;
const RESPONSE = [
  'HTTP/1.1 400 Bad Request',
  'Content-Type: text/html; charset=utf-8',
  `Content-Length: ${Buffer.byteLength(BODY)}`,
  'Connection: close',
  '',
  BODY,
].join('\r\n');

/** Sends a 400 to clients that speak plain HTTP at the TLS port. OpenSSL has consumed their request already. */
function rejectPlainHttp(server: Server): void {
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: object) => {
    if (error.code !== 'ERR_SSL_HTTP_REQUEST') return;
    const connection = tcpSocketOf(socket);
    if (!connection?.writable) return;
    connection.write(RESPONSE);
    connection.destroySoon();
  });
}
