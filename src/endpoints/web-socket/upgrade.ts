import { type IncomingHttpHeaders, type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RawRequest } from '../exchange/raw-exchange.js';

/** A connection whose client requests a WebSocket. */
export interface Upgrade {
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
