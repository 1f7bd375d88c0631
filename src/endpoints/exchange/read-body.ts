import { ExpectedError } from '../../apimachinery/errors/expected-error.js';
import { requestEntityTooLarge } from '../../apimachinery/errors/status-errors.js';
import type { BodyOutcome, RawRequest } from './raw-exchange.js';
import { bodyOf } from './http1-body.js';

/** Largest request body, in bytes (apiserver server/config.go MaxRequestBodyBytes). */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** The client has closed the request, so no response can be sent. */
export class ClientGone extends ExpectedError {
  constructor() {
    super('the client closed the request');
  }
}

const EMPTY = Buffer.alloc(0);

/** Reads the whole body. Rejects with a 413 as soon as the body exceeds the limit, and with ClientGone if the client disconnects first. */
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
