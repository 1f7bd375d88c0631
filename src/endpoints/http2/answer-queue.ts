import type { AnswerPlace, Http2Response } from './http2-response.js';

/**
 * Answers in the order in which they came. Every operation takes the same time however many wait. The links are in the answers: a Set
 * or Map keeps answers alive that were deleted, as OpenStreams explains.
 */
export class AnswerQueue implements AnswerPlace {
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
