import type { IncomingMessage, ServerResponse } from 'node:http';
import { accountOf } from '../ledger/account-of.js';
import { Held, headerBytes, REQUEST_BYTES } from '../ledger/held.js';
import { takeBody } from './http1-body.js';

/**
 * Charges an HTTP/1.1 request to its connection until its response is closed. Returns false, and ends the connection, if a client that
 * pipelines requests exceeds the connection's budget.
 */
export function chargeMessage(raw: IncomingMessage, response: ServerResponse): boolean {
  // After a refused request, the parser still processes what has already been read.
  if (raw.socket.destroyed) return false;
  const account = accountOf(raw.socket);
  const bytes = REQUEST_BYTES + headerBytes(raw.rawHeaders) + (raw.url?.length ?? 0);
  if (!account.charge(Held.HEADERS, bytes)) {
    raw.socket.destroy();
    return false;
  }
  const body = takeBody(raw, response, account);
  response.once('close', () => {
    account.release(Held.HEADERS, bytes);
    body?.discard();
  });
  return true;
}
