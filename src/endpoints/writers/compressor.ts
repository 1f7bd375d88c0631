import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { EncodedList } from '../../apimachinery/codec/encoded-list.js';
import type { Body } from './send-body.js';

const compress = promisify(gzip);

/**
 * Compresses bodies, a few at a time: each needs the whole body and its compressed form in memory, and one of the four threads that the
 * process has for such work. Compression is a favour to the client, so a body that finds no place is sent as it is: nobody waits.
 */
export class Compressor {
  readonly #places: number;
  #busy = 0;

  constructor(places: number) {
    this.#places = places;
  }

  /** The compressed body; undefined where too many are being compressed already. */
  compress(body: Body): Promise<Buffer> | undefined {
    if (this.#busy >= this.#places) return undefined;
    this.#busy++;
    return compress(body instanceof EncodedList ? body.bytes() : body, { level: 1 }).finally(() => this.#busy--);
  }
}
