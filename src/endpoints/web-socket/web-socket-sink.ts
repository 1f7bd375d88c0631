import { type IncomingHttpHeaders, type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { webSocketProtocols } from '../../auth/authentication/bearer-authenticator.js';
import { setPeer } from '../connections/watched-connection.js';
import type { RawRequest } from '../exchange/raw-exchange.js';
import { Held } from '../ledger/connection-account.js';
import type { ApiRequest } from '../request/api-request.js';
import { isOwnCredential, isSameOrigin } from '../request/foreign-page.js';
import type { WatchSink } from '../writers/watch-stream.js';

/** Limits on the size of a client's message and on its fragments. Messages are ignored. */
const MAX_MESSAGE_BYTES = 4096;
const MAX_FRAGMENTS = 16;
const MAX_BUFFERED_CHUNKS = 16;
/** Memory that the client can make a WebSocket hold: a message, and the read that it starts in. */
const HELD_BYTES = MAX_MESSAGE_BYTES + 16 * 1024;
/** How long a client has to confirm the closing handshake before its connection is closed. */
const CLOSE_TIMEOUT_MS = 1000;
const NORMAL_CLOSURE = 1000;

const handshakes = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: MAX_MESSAGE_BYTES,
  maxFragments: MAX_FRAGMENTS,
  maxBufferedChunks: MAX_BUFFERED_CHUNKS,
  closeTimeout: CLOSE_TIMEOUT_MS,
  handleProtocols: (_offered, { headers }) => webSocketProtocols(headers)[0] ?? false,
} as ConstructorParameters<typeof WebSocketServer>[0]);

export interface WebSocketOptions {
  /** Whether messages are text, or binary. */
  readonly text: boolean;
  /** Origins other than this server's whose pages may use the user's certificate. */
  readonly allowedOrigins: ReadonlySet<string>;
}

/** The WebSocket handshake is invalid or forbidden; the response has this status and no body. */
export class HandshakeRefused extends Error {
  constructor(readonly code: 400 | 403) {
    super('the WebSocket handshake is rejected');
  }
}

/**
 * Sends a watch as WebSocket messages, one per event: text, or binary for media types that are not text. Throws HandshakeRefused by the
 * rules of golang.org/x/net/websocket, which upstream uses: an Origin is required, and at most one subprotocol is allowed.
 */
export function webSocketSink(request: ApiRequest, { socket, head }: Upgrade, { text, allowedOrigins }: WebSocketOptions): WatchSink {
  checkHandshake(request, allowedOrigins);
  const response = request.response as ServerResponse;
  let connection: WebSocket | undefined;
  return {
    open() {
      response.detachSocket(socket);
      // Released with the connection.
      if (!request.account.charge(Held.READS, HELD_BYTES)) socket.destroy();
      // A detached response emits no `close` of its own.
      socket.once('close', () => response.emit('close'));
      handshakes.handleUpgrade(request.raw as IncomingMessage, socket, head, (opened) => (connection = opened));
      void request.audit?.started(101);
      connection?.on('error', () => connection?.terminate());
      setPeer(socket, { isAwaited: true, ping: () => connection?.ping() });
    },
    write(frames, done) {
      const last = frames.length - 1;
      frames.forEach((frame, at) => connection?.send(frame, { binary: !text }, at === last ? done : undefined));
    },
    end: () => connection?.close(NORMAL_CLOSURE),
    destroy: () => connection?.terminate(),
  };
}

function checkHandshake(request: ApiRequest, allowedOrigins: ReadonlySet<string>): void {
  const { headers } = request;
  if (!headers['sec-websocket-key'] || headers['sec-websocket-version'] !== '13') throw new HandshakeRefused(400);
  if (!isOriginAllowed(request, allowedOrigins)) throw new HandshakeRefused(403);
  if (webSocketProtocols(headers).length > 1) throw new HandshakeRefused(400);
}

/**
 * Whether pages of a WebSocket's Origin may use it. A browser presents its user's certificate, and reaches private networks, on behalf of
 * any page, so such a page must have the origin of this server or one of `allowed`. If the client has presented a token, any URI is
 * accepted.
 */
function isOriginAllowed(request: ApiRequest, allowed: ReadonlySet<string>): boolean {
  const { origin } = request.headers;
  if (origin === undefined || origin === 'null') return false;
  if (isOwnCredential(request)) return origin.startsWith('/') || URL.canParse(origin);
  return allowed.has(origin) || isSameOrigin(origin, request);
}

/** A connection whose client requests a WebSocket. */
interface Upgrade {
  readonly socket: Socket;
  /** The bytes that followed the request's headers. */
  readonly head: Buffer;
}

const upgrades = new WeakMap<RawRequest, Upgrade>();

/** Whether a request asks for a WebSocket (streaming pkg/httpstream/wsstream IsWebSocketRequest). */
export function wantsWebSocket({ method, headers }: { method?: string; headers: IncomingHttpHeaders }): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && /(^|,\s*)upgrade($|\s*,)/i.test(headers.connection ?? '');
}

/** The response to a request that asks for a WebSocket. A normal response ends the connection; a watch takes the connection over. */
export function upgradableResponse(raw: IncomingMessage, upgrade: Upgrade): ServerResponse {
  const response = new ServerResponse(raw);
  response.shouldKeepAlive = false;
  response.assignSocket(upgrade.socket);
  response.on('finish', () => upgrade.socket.end());
  upgrades.set(raw, upgrade);
  return response;
}

/** The connection of a request that may become a WebSocket; undefined for ordinary requests. */
export function upgradeOf(raw: RawRequest): Upgrade | undefined {
  return upgrades.get(raw);
}
