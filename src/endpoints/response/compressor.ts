import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { EncodedList } from '../../apimachinery/codec/serializer/serializer.js';
import type { Body } from './send-body.js';

const compress = promisify(gzip);

/**
 * Compresses a limited number of bodies at a time. Each takes the memory of the body and of its compressed form, and one of libuv's four
 * threads. A body above the limit is sent uncompressed instead of waiting.
 */
export class Compressor {
  readonly #places: number;
  #busy = 0;

  constructor(places: number) {
    this.#places = places;
  }

  /** The compressed body; undefined at the limit. */
  compress(body: Body): Promise<Buffer> | undefined {
    if (this.#busy >= this.#places) return undefined;
    this.#busy++;
    return compress(body instanceof EncodedList ? body.bytes() : body, { level: 1 }).finally(() => this.#busy--);
  }
}
