import { ExpectedError } from '../../apimachinery/errors/expected-error.js';
import { requestEntityTooLarge } from '../../apimachinery/errors/status-errors.js';
import type { BodyOutcome, RawRequest } from './raw-exchange.js';
import { bodyOf } from './http1-body.js';

/** Largest request body, in bytes (apiserver server/config.go MaxRequestBodyBytes). */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** There is nobody left to answer. */
export class ClientGone extends ExpectedError {
  constructor() {
    super('the client closed the request');
  }
}

const EMPTY = Buffer.alloc(0);

/**
 * Reads the whole body. Rejects with the 413 as soon as more than the limit has come, and with ClientGone when the client goes away
 * in between.
 */
export function readBody(raw: RawRequest, limit = MAX_BODY_BYTES): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = 'collect' in raw ? raw : bodyOf(raw);
    const done = (outcome: BodyOutcome) => {
      if (outcome === 'gone') reject(new ClientGone());
      else if (outcome === 'too large') reject(requestEntityTooLarge(`limit is ${limit}`));
      else resolve(outcome);
    };
    if (body) body.collect(limit, done);
    else done(EMPTY);
  });
}
