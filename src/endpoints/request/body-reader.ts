import { requestEntityTooLarge } from '../../apimachinery/errors/status-errors.js';
import type { ApiError } from '../../apimachinery/errors/api-error.js';
import type { RawHttp2Request, RawRequest } from './raw-exchange.js';

/** Largest request body, in bytes (apiserver server/config.go MaxRequestBodyBytes). */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** There is nobody left to answer. */
export class ClientGone extends Error {
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
    if ('collect' in raw) return collectBody(raw, limit, { resolve, reject });
    let first: Buffer | undefined;
    let chunks: Buffer[] | undefined;
    let length = 0;
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) return finish(tooLarge(limit));
      if (first === undefined) first = chunk;
      else (chunks ??= [first]).push(chunk);
    };
    // What was cut off may look like an end.
    const onEnd = () => finish(raw.aborted ? new ClientGone() : undefined);
    const onGone = () => finish(new ClientGone());
    const finish = (error?: Error) => {
      raw.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      if (error) reject(error);
      else resolve(chunks ? Buffer.concat(chunks, length) : (first ?? EMPTY));
    };
    raw.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}

interface Reader {
  readonly resolve: (body: Buffer) => void;
  readonly reject: (reason: Error) => void;
}

function collectBody(request: RawHttp2Request, limit: number, { resolve, reject }: Reader): void {
  request.collect(limit, (outcome) => {
    if (outcome === 'gone') reject(new ClientGone());
    else if (outcome === 'too large') reject(tooLarge(limit));
    else resolve(outcome);
  });
}

function tooLarge(limit: number): ApiError {
  return requestEntityTooLarge(`limit is ${limit}`);
}
