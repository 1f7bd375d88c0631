import type { IncomingHttpHeaders } from 'node:http';
import { AuthenticationError } from './authentication-error.js';

const TOKEN_PREFIX = 'base64url.bearer.authorization.k8s.io.';
const HEADER = 'sec-websocket-protocol';
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The subprotocols that a WebSocket client offers, without the one that carries the token. */
export function webSocketProtocols(headers: IncomingHttpHeaders): string[] {
  return offered(headers).filter((protocol) => !protocol.startsWith(TOKEN_PREFIX));
}

/**
 * Parses the bearer token that a browser sends as a WebSocket subprotocol, because it cannot set headers (apiserver
 * pkg/authentication/request/websocket/protocol.go). Another subprotocol must be present. Throws an AuthenticationError if the token is
 * malformed.
 */
export function webSocketToken(headers: IncomingHttpHeaders): string | undefined {
  if (headers[HEADER] === undefined || headers.upgrade?.toLowerCase() !== 'websocket') return undefined;
  const [encoded, ...others] = offered(headers).flatMap((protocol) =>
    protocol.startsWith(TOKEN_PREFIX) ? [protocol.slice(TOKEN_PREFIX.length)] : [],
  );
  if (encoded === undefined || encoded === '') return undefined;
  if (others.length > 0) throw new AuthenticationError('multiple base64.bearer.authorization tokens specified');
  if (!/^[A-Za-z0-9_-]+$/.test(encoded)) throw new AuthenticationError('invalid base64.bearer.authorization token encoding');
  if (webSocketProtocols(headers).length === 0) throw new AuthenticationError('missing additional subprotocol');
  try {
    return UTF8.decode(Buffer.from(encoded, 'base64url'));
  } catch {
    throw new AuthenticationError('invalid base64.bearer.authorization token');
  }
}

function offered(headers: IncomingHttpHeaders): string[] {
  const header = headers[HEADER] ?? '';
  return header === '' ? [] : header.split(',').map((protocol) => protocol.trim());
}
