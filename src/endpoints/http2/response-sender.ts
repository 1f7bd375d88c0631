import { DEFAULT_WINDOW, MAX_PAYLOAD_BYTES, MAX_WINDOW, dataFrameHead, headerFrames } from './frames.js';
import { HeaderEncoder } from './hpack/header-encoder.js';
import type { Http2Response, ResponsePlace } from './http2-response.js';
import { type OpenStreams, StalledResponses } from './open-streams.js';
import type { Outbox } from './outbox.js';

/** Notified as responses are sent. */
export interface ResponseListener {
  /** Called after `bytes` of a response body have been sent. */
  sent(bytes: number): void;
  /** Called at the end of a response. */
  finished(response: Http2Response): void;
}

/**
 * Sends the responses of one connection, as far as their windows, the connection's window and the client's reading allow. Each response
 * sends one frame in turn, so that a long one does not delay the others.
 *
 * A response waits in the queue for whatever it needs next and is examined only when it can proceed. A frame from the client therefore
 * costs the same with one response as with thousands, plus the cost of the responses it makes sendable. A client can make responses
 * sendable and unsendable repeatedly; such moves are counted as idle steps.
 */
export class ResponseSender {
  readonly encoder = new HeaderEncoder();
  /**
   * Number of responses moved between queues without sending anything, and of streams whose windows were examined; the caller resets it.
   */
  idleSteps = 0;
  readonly #outbox: Outbox;
  readonly #listener: ResponseListener;
  /** Responses with only headers or an empty end of stream to send; neither uses any window. */
  readonly #heads = new ResponseQueue();
  /** Responses with data to send. Their own windows allowed it when they were queued. */
  readonly #data = new ResponseQueue();
  readonly #stalled = new StalledResponses();
  #window = DEFAULT_WINDOW;
  /** The initial window of every response. Windows of responses are stored relative to it, so that changing it changes all of them. */
  #initialWindow = DEFAULT_WINDOW;
  /** Upper bound of the windows of all responses. */
  #largestWindow = 0;
  /** Bytes of response bodies sent so far. */
  #sent = 0;

  constructor(outbox: Outbox, listener: ResponseListener) {
    this.#outbox = outbox;
    this.#listener = listener;
  }

  wake(response: Http2Response): void {
    if (!response.place) this.#queue(response);
    this.run();
  }

  forget(response: Http2Response): void {
    response.place?.delete(response);
  }

  /** Adds to the connection's window; returns false if the window would exceed its maximum. */
  widen(bytes: number): boolean {
    this.#window += bytes;
    if (this.#window > MAX_WINDOW) return false;
    this.run();
    return true;
  }

  /** Like `widen`, for the window of one response. */
  widenResponse(response: Http2Response, bytes: number): boolean {
    const window = response.window + bytes;
    if (this.#initialWindow + window > MAX_WINDOW) return false;
    const { place } = response;
    if (place === this.#stalled) place.delete(response);
    response.window = window;
    this.#largestWindow = Math.max(this.#largestWindow, window);
    if (place === this.#stalled) this.#queue(response);
    this.run();
    return true;
  }

  /** Changes the initial window of all responses, including those in progress; returns false if any window would exceed its maximum. */
  changeInitialWindow(bytes: number, streams: OpenStreams): boolean {
    if (bytes + this.#largestWindow > MAX_WINDOW) this.#findLargestWindow(streams);
    if (bytes + this.#largestWindow > MAX_WINDOW) return false;
    this.#initialWindow = bytes;
    for (let next = this.#stalled.first; next && next.window + bytes > 0; next = this.#stalled.first) {
      this.idleSteps += 1;
      this.#stalled.delete(next);
      this.#data.add(next);
    }
    this.run();
    return true;
  }

  /**
   * Whether the client has kept a window shut for `stallMs`, so that nothing of a response could be sent. If only the connection's window
   * is shut, progress of any other response counts, because each gets its turn. Must be called periodically.
   */
  isStalled(response: Http2Response, now: number, stallMs: number): boolean {
    const sent = this.#sentOfBlocked(response);
    if (sent === undefined || sent !== response.sentBefore) {
      response.sentBefore = sent;
      response.sentBeforeAt = now;
      return false;
    }
    return now - response.sentBeforeAt >= stallMs;
  }

  run(): void {
    while (!this.#outbox.isFull) {
      const response = this.#heads.first ?? (this.#window > 0 ? this.#data.first : undefined);
      if (!response) return;
      response.place?.delete(response);
      this.#sendNext(response);
      if (response.writableFinished) this.#listener.finished(response);
      else this.#queue(response);
    }
  }

  /** Returns undefined for a response that is not waiting for its client, or that is allowed to wait. */
  #sentOfBlocked(response: Http2Response): number | undefined {
    if (response.endless || response.pieces.length === 0) return undefined;
    if (this.#initialWindow + response.window <= 0) return response.sent;
    return this.#window <= 0 ? this.#sent : undefined;
  }

  /** Puts a response into the queue for what it needs next. */
  #queue(response: Http2Response): void {
    if (!response.headersLeft) this.#heads.add(response);
    else if (response.pieces.length === 0) {
      if (response.writableEnded) this.#heads.add(response);
    } else if (this.#initialWindow + response.window > 0) this.#data.add(response);
    else this.#stalled.add(response);
  }

  #findLargestWindow(streams: OpenStreams): void {
    this.#largestWindow = 0;
    this.idleSteps += streams.size;
    for (const { window } of streams.all()) this.#largestWindow = Math.max(this.#largestWindow, window);
  }

  /** Sends the headers, if they have not left yet, and one frame of data, if the windows allow it. */
  #sendNext(response: Http2Response): void {
    if (!response.headersLeft) this.#sendHeaders(response);
    const piece = response.pieces[0];
    if (piece) {
      if (this.#initialWindow + response.window <= 0) this.idleSteps += 1;
      else if (this.#window > 0) this.#sendData(response, piece.bytes);
    } else if (response.writableEnded && !response.writableFinished) {
      this.#pushLast(response, dataFrameHead(response.request.stream, 0, true));
    }
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
    const length = Math.min(bytes.length - offset, MAX_PAYLOAD_BYTES, this.#initialWindow + response.window, this.#window);
    const end = offset + length;
    const isWhole = end === bytes.length;
    const isLast = isWhole && pieces.length === 1 && response.writableEnded;
    this.#window -= length;
    response.window -= length;
    response.sent += length;
    this.#sent += length;
    response.offset = isWhole ? 0 : end;
    const whole = isWhole ? pieces.shift() : undefined;
    if (whole) response.letGo(whole);
    this.#outbox.push(dataFrameHead(request.stream, length, isLast));
    const part = offset === 0 && isWhole ? bytes : bytes.subarray(offset, end);
    if (isLast) this.#pushLast(response, part, whole?.sent);
    else this.#outbox.push(part, whole?.sent);
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

let dateSecond = 0;
let dateText = '';

/** The current time in the format of the `date` header; formatted once a second. */
function httpDate(): string {
  const now = Date.now();
  const current = Math.floor(now / 1000);
  if (current !== dateSecond) {
    dateSecond = current;
    dateText = new Date(now).toUTCString();
  }
  return dateText;
}

/**
 * Responses in order of arrival. Every operation takes constant time, regardless of the number waiting. The links are kept in the responses
 * themselves: a Set or Map would keep deleted responses alive, as OpenStreams explains.
 */
class ResponseQueue implements ResponsePlace {
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
