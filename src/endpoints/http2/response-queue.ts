import type { ResponsePlace, Http2Response } from './http2-response.js';

/**
 * Responses in order of arrival. Every operation takes constant time, regardless of the number waiting. The links are kept in the responses
 * themselves: a Set or Map would keep deleted responses alive, as OpenStreams explains.
 */
export class ResponseQueue implements ResponsePlace {
  first: Http2Response | undefined;
  #last: Http2Response | undefined;

  add(response: Http2Response): void {
    response.place = this;
    response.previous = this.#last;
    if (this.#last) this.#last.next = response;
    else this.first = response;
    this.#last = response;
  }

  delete(response: Http2Response): void {
    const { previous, next } = response;
    if (previous) previous.next = next;
    else this.first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    response.place = response.previous = response.next = undefined;
  }
}
