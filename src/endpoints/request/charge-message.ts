import type { IncomingMessage, ServerResponse } from 'node:http';
import { accountOf } from '../ledger/account-of.js';
import { Held, headerBytes, REQUEST_BYTES } from '../ledger/held.js';
import { takeBody } from './http1-body.js';

/**
 * Charges a request over HTTP/1.1 to its connection until its answer is closed. False: the client makes the server hold too much, by
 * requests that it sends without waiting for answers, and its connection is ended.
 */
export function chargeMessage(raw: IncomingMessage, response: ServerResponse): boolean {
  // Behind a request that was refused, its parser goes on with what has been read.
  if (raw.socket.destroyed) return false;
  const account = accountOf(raw.socket);
  const bytes = REQUEST_BYTES + headerBytes(raw.rawHeaders) + (raw.url?.length ?? 0);
  if (!account.charge(Held.HEADERS, bytes)) {
    raw.socket.destroy();
    return false;
  }
  const body = takeBody(raw, account);
  response.once('close', () => {
    account.release(Held.HEADERS, bytes);
    body?.discard();
  });
  return true;
}
