import type { Http2Response, ResponsePlace } from './http2-response.js';

/** Number of unused places that are tolerated; beyond this, and beyond the number of open streams, the arrays are compacted. */
const SPARE_PLACES = 16;

/**
 * The open streams of a connection, in order of arrival. Adding and deleting take amortized constant time. This is not a Map: a Map with
 * many additions and deletions gets a new table now and then, and in V8 each old table keeps its successor and its contents alive until a
 * full collection. Here that would be every response with its body.
 */
export class OpenStreams {
  /** Stream numbers in ascending order, with gaps where streams have ended. */
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

  /** The stream must be newer than all others. */
  add(response: Http2Response): void {
    this.#numbers.push(response.request.stream);
    this.#responses.push(response);
    this.#size += 1;
  }

  /** Returns the deleted response; undefined if the stream was not open. */
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

  /** Returns -1 for a stream that was never open, or whose place has been reclaimed. */
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

/**
 * Responses whose own window is used up, largest window first. This is a binary heap, so that a change of all windows costs time only for
 * the responses that it makes sendable. A response's window must not change while it waits here.
 */
export class StalledResponses implements ResponsePlace {
  readonly #heap: Http2Response[] = [];

  get first(): Http2Response | undefined {
    return this.#heap[0];
  }

  add(response: Http2Response): void {
    response.place = this;
    this.#heap.push(response);
    this.#rise(response, this.#heap.length - 1);
  }

  delete(response: Http2Response): void {
    const at = response.heapIndex;
    response.place = undefined;
    const last = this.#heap.pop();
    if (!last || last === response) return;
    this.#rise(last, at);
    this.#sink(last, last.heapIndex);
  }

  #rise(response: Http2Response, from: number): void {
    let at = from;
    while (at > 0) {
      const parent = this.#heap[(at - 1) >> 1];
      if (!parent || parent.window >= response.window) break;
      this.#put(parent, at);
      at = (at - 1) >> 1;
    }
    this.#put(response, at);
  }

  #sink(response: Http2Response, from: number): void {
    let at = from;
    for (;;) {
      const left = this.#heap[2 * at + 1];
      const right = this.#heap[2 * at + 2];
      const child = left && right && right.window > left.window ? right : left;
      if (!child || child.window <= response.window) break;
      const next = child.heapIndex;
      this.#put(child, at);
      at = next;
    }
    this.#put(response, at);
  }

  #put(response: Http2Response, at: number): void {
    this.#heap[at] = response;
    response.heapIndex = at;
  }
}
