import type { Http2Response } from './http2-response.js';

/**
 * The streams of a connection that are not over, in the order in which they came. Not a Map: V8 gives a Map that things come to and go
 * from a new table now and then, and each old one keeps its successor, and what was in it, until a full collection. That is every
 * answer with its body, here.
 */
export class OpenStreams {
  /** By stream, which only grows. */
  readonly #responses: Http2Response[] = [];

  get size(): number {
    return this.#responses.length;
  }

  get(stream: number): Http2Response | undefined {
    const response = this.#responses[this.#placeOf(stream)];
    return response?.request.stream === stream ? response : undefined;
  }

  /** Its stream is newer than all others. */
  add(response: Http2Response): void {
    this.#responses.push(response);
  }

  /** False for a stream that is not open. */
  delete(stream: number): boolean {
    const place = this.#placeOf(stream);
    if (this.#responses[place]?.request.stream !== stream) return false;
    this.#responses.splice(place, 1);
    return true;
  }

  all(): readonly Http2Response[] {
    return [...this.#responses];
  }

  /** Of the first one that is not older. */
  #placeOf(stream: number): number {
    let low = 0;
    let high = this.#responses.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#responses[middle]?.request.stream ?? 0) < stream) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
