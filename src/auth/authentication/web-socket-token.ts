import type { IncomingHttpHeaders } from 'node:http';
import { unauthorized } from '../../apimachinery/errors/status-errors.js';

const TOKEN_PREFIX = 'base64url.bearer.authorization.k8s.io.';
const HEADER = 'sec-websocket-protocol';
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The subprotocols that a WebSocket client offers, without the one that is a token. */
export function webSocketProtocols(headers: IncomingHttpHeaders): string[] {
  return offered(headers).filter((protocol) => !protocol.startsWith(TOKEN_PREFIX));
}

/**
 * The bearer token that a browser sends with a WebSocket: as a subprotocol, since it cannot set headers (apiserver
 * pkg/authentication/request/websocket/protocol.go). Another subprotocol must stand beside it. Throws the 401 where it is malformed.
 */
export function webSocketToken(headers: IncomingHttpHeaders): string | undefined {
  if (headers[HEADER] === undefined || headers.upgrade?.toLowerCase() !== 'websocket') return undefined;
  const [encoded, ...others] = offered(headers).flatMap((protocol) =>
    protocol.startsWith(TOKEN_PREFIX) ? [protocol.slice(TOKEN_PREFIX.length)] : [],
  );
  if (encoded === undefined || encoded === '') return undefined;
  if (others.length > 0 || !/^[A-Za-z0-9_-]+$/.test(encoded) || webSocketProtocols(headers).length === 0) throw unauthorized();
  try {
    return UTF8.decode(Buffer.from(encoded, 'base64url'));
  } catch {
    throw unauthorized();
  }
}

function offered(headers: IncomingHttpHeaders): string[] {
  const header = headers[HEADER] ?? '';
  return header === '' ? [] : header.split(',').map((protocol) => protocol.trim());
}
