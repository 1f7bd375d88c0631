import { ExpectedError } from '../../apimachinery/errors/api-error.js';
import { requestEntityTooLarge } from '../../apimachinery/errors/status-errors.js';
import type { BodyOutcome, RawRequest } from './raw-exchange.js';
import { accountOf } from '../ledger/account-of.js';
import { bodyOf } from './http1-body.js';
import { LARGE_BYTES, largeTurns } from './large-turns.js';

/** Largest request body, in bytes (apiserver server/config.go MaxRequestBodyBytes). */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** The client has closed the request, so no response can be sent. */
export class ClientGone extends ExpectedError {
  constructor() {
    super('the client closed the request');
  }
}

const EMPTY = Buffer.alloc(0);

/**
 * Reads the whole body; resolves with a large one when it is its turn. Rejects with a 413 as soon as the body exceeds the limit, and with
 * ClientGone if the client disconnects first.
 */
export function readBody(raw: RawRequest, limit = MAX_BODY_BYTES): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = 'collect' in raw ? raw : bodyOf(raw);
    const done = (outcome: BodyOutcome) => {
      if (outcome === 'gone') reject(new ClientGone());
      else if (outcome === 'too large') reject(requestEntityTooLarge(`limit is ${limit}`));
      else if (outcome.length <= LARGE_BYTES) resolve(outcome);
      else largeTurns.wait(ownerOf(raw), () => resolve(outcome));
    };
    if (body) body.collect(limit, done);
    else done(EMPTY);
  });
}

/** For what follows the decoding of a body: another turn if it is large. */
export async function furtherTurn(raw: RawRequest, body: Buffer): Promise<void> {
  if (body.length > LARGE_BYTES) await new Promise<void>((resolve) => largeTurns.wait(ownerOf(raw), resolve));
}

function ownerOf(raw: RawRequest): object {
  return ('account' in raw ? raw.account : accountOf(raw.socket)).owner;
}
