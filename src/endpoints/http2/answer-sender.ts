import { DEFAULT_WINDOW, MAX_PAYLOAD_BYTES, MAX_WINDOW, dataFrameHead, headerFrames } from './frames.js';
import { httpDate } from './http-date.js';
import { HeaderEncoder } from './hpack/header-encoder.js';
import type { Http2Response } from './http2-response.js';
import type { Outbox } from './outbox.js';

/** Who is told what has been put on its way. */
export interface AnswerListener {
  /** So much of a body. */
  sent(bytes: number): void;
  /** The end of an answer. */
  finished(response: Http2Response): void;
}

/**
 * Sends the answers of one connection, as far as their windows, that of the connection, and the client's reading allow: a frame of
 * each in turn, so that a long one does not hold up the others.
 */
export class AnswerSender {
  readonly encoder = new HeaderEncoder();
  readonly #outbox: Outbox;
  readonly #listener: AnswerListener;
  /** Answers with something to send that their own windows allow, in turn. No Set, for the reason that OpenStreams is no Map. */
  readonly #waiting: Http2Response[] = [];
  #window = DEFAULT_WINDOW;

  constructor(outbox: Outbox, listener: AnswerListener) {
    this.#outbox = outbox;
    this.#listener = listener;
  }

  wake(response: Http2Response): void {
    this.#queue(response);
    this.run();
  }

  forget(response: Http2Response): void {
    if (response.waits) this.#take(this.#waiting.indexOf(response));
  }

  /** The client takes so much more on the whole connection; false when that is more than a window can be. */
  widen(bytes: number): boolean {
    this.#window += bytes;
    if (this.#window > MAX_WINDOW) return false;
    this.run();
    return true;
  }

  run(): void {
    let passed = 0;
    for (let response = this.#waiting[0]; response && !this.#outbox.isFull; response = this.#waiting[passed]) {
      if (response.headersLeft && response.pieces.length > 0 && this.#window <= 0) {
        passed++;
        continue;
      }
      this.#take(passed);
      // Whoever has sent something goes to the end of the queue, which this loop comes to later.
      if (this.#sendNext(response)) this.#queue(response);
      else if (response.writableFinished) this.#listener.finished(response);
    }
  }

  #queue(response: Http2Response): void {
    if (response.waits) return;
    response.waits = true;
    this.#waiting.push(response);
  }

  #take(place: number): void {
    const [response] = this.#waiting.splice(place, 1);
    if (response) response.waits = false;
  }

  /** False when there is nothing more to send, or it has to wait for the answer's own window. */
  #sendNext(response: Http2Response): boolean {
    if (!response.headersLeft) this.#sendHeaders(response);
    const piece = response.pieces[0];
    if (!piece) {
      if (response.writableEnded && !response.writableFinished) this.#pushLast(response, dataFrameHead(response.request.stream, 0, true));
      return false;
    }
    if (response.window <= 0) return false;
    // Headers have left, and the connection's window may be gone.
    if (this.#window > 0) this.#sendData(response, piece.bytes);
    return response.pieces.length > 0;
  }

  #sendHeaders(response: Http2Response): void {
    const { statusCode, headers, request, writableEnded, pieces } = response;
    const isLast = writableEnded && pieces.length === 0;
    const frames = headerFrames(request.stream, this.encoder.encode(statusCode, headers, httpDate()), isLast);
    response.headersLeft = true;
    if (isLast) this.#pushLast(response, frames);
    else this.#outbox.push(frames);
  }

  #sendData(response: Http2Response, bytes: Buffer): void {
    const { offset, pieces, request } = response;
    const length = Math.min(bytes.length - offset, MAX_PAYLOAD_BYTES, response.window, this.#window);
    const end = offset + length;
    const isWhole = end === bytes.length;
    const isLast = isWhole && pieces.length === 1 && response.writableEnded;
    this.#window -= length;
    response.window -= length;
    response.offset = isWhole ? 0 : end;
    const sent = isWhole ? pieces.shift()?.sent : undefined;
    this.#outbox.push(dataFrameHead(request.stream, length, isLast));
    const part = offset === 0 && isWhole ? bytes : bytes.subarray(offset, end);
    if (isLast) this.#pushLast(response, part, sent);
    else this.#outbox.push(part, sent);
    this.#listener.sent(length);
  }

  #pushLast(response: Http2Response, part: Buffer, sent?: () => void): void {
    response.writableFinished = true;
    this.#outbox.push(part, () => {
      sent?.();
      response.close();
    });
  }
}
