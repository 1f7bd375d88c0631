import type { ResponsePlace, Http2Response } from './http2-response.js';

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
