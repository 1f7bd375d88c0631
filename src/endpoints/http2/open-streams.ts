import type { Http2Response } from './http2-response.js';

/** Places of streams that are over, beyond which, and beyond the number of those that are not, the places are filled up again. */
const SPARE_PLACES = 16;

/**
 * The streams of a connection that are not over, in the order in which they came. Adding and deleting take the same time, averaged,
 * however many are open. Not a Map: V8 gives a Map that things come to and go from a new table now and then, and each old one keeps its
 * successor, and what was in it, until a full collection. That is every answer with its body, here.
 */
export class OpenStreams {
  /** By stream, which only grows; with gaps where streams have ended. */
  readonly #numbers: number[] = [];
  readonly #responses: (Http2Response | undefined)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(stream: number): Http2Response | undefined {
    const place = this.#placeOf(stream);
    return place < 0 ? undefined : this.#responses[place];
  }

  /** Its stream is newer than all others. */
  add(response: Http2Response): void {
    this.#numbers.push(response.request.stream);
    this.#responses.push(response);
    this.#size += 1;
  }

  /** Answers what was open; undefined for a stream that is not. */
  delete(stream: number): Http2Response | undefined {
    const place = this.#placeOf(stream);
    const response = place < 0 ? undefined : this.#responses[place];
    if (!response) return undefined;
    this.#responses[place] = undefined;
    this.#size -= 1;
    if (this.#responses.length > 2 * this.#size + SPARE_PLACES) this.#fillGaps();
    return response;
  }

  all(): readonly Http2Response[] {
    return this.#responses.filter((response) => response !== undefined);
  }

  #fillGaps(): void {
    let filled = 0;
    for (let at = 0; at < this.#responses.length; at++) {
      const response = this.#responses[at];
      if (!response) continue;
      this.#responses[filled] = response;
      this.#numbers[filled] = this.#numbers[at] as number;
      filled += 1;
    }
    this.#responses.length = this.#numbers.length = filled;
  }

  /** -1 for a stream that never was open, or whose place has been filled up. */
  #placeOf(stream: number): number {
    let low = 0;
    let high = this.#numbers.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const number = this.#numbers[middle] as number;
      if (number === stream) return middle;
      if (number < stream) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}
