import type { Ticket } from '../flow-control/request-limiter.js';
import { type ConnectionAccount, Held } from '../ledger/connection-account.js';
import type { InFlight, RequestSeries } from '../metrics/request-series.js';

/** A request's deadline, its seats, and the metrics that count it. Times are in milliseconds of `performance.now()`. */
export class Admission {
  #limitMs: number | undefined;
  #deadline = Infinity;
  #ticket: Ticket | undefined;
  #admittedAt = 0;
  #series: RequestSeries | undefined;
  #inFlight: InFlight | undefined;
  #waits = false;

  /** Time limit of the request in milliseconds; undefined for watches. */
  get limitMs(): number | undefined {
    return this.#limitMs;
  }

  /** When the request expires; Infinity without a deadline. */
  get deadline(): number {
    return this.#deadline;
  }

  limitTime(limitMs: number): void {
    this.#limitMs = limitMs;
    this.#deadline = performance.now() + limitMs;
  }

  /** Marks the deadline as handled. */
  deadlinePassed(): void {
    this.#deadline = Infinity;
  }

  /** The seats of the request, or its place in a queue; undefined if the request is not limited. */
  get ticket(): Ticket | undefined {
    return this.#ticket;
  }

  takeTicket(ticket: Ticket | undefined): void {
    this.#ticket = ticket;
  }

  /** When the handler started; 0 if it did not. */
  get admittedAt(): number {
    return this.#admittedAt;
  }

  /** Marks the start of the handler; the route is known. */
  admit(): void {
    this.#admittedAt = performance.now();
  }

  /** The metrics that count the request; undefined for documents. */
  get series(): RequestSeries | undefined {
    return this.#series;
  }

  /** Counts the request in `series` and, while it is in progress, in `inFlight`. */
  countIn(series: RequestSeries, inFlight: InFlight | undefined, receivedAt: number): void {
    this.#series = series;
    this.#inFlight = inFlight;
    inFlight?.enter(receivedAt);
  }

  /** Whether the handler has waited for what other clients do, so that the duration of the request says nothing about the server. */
  get waits(): boolean {
    return this.#waits;
  }

  /** The handler only waits from here on: the request gives its seats back and is no longer in flight. */
  waitForOthers(): void {
    this.#waits = true;
    this.#ticket?.wait();
    this.#leave();
  }

  /** Ends the request's progress: the complete response has been handed to the connection, or the client is gone. May be called again. */
  end(): void {
    this.#ticket?.close();
    this.#leave();
  }

  #leave(): void {
    this.#inFlight?.leave(performance.now());
    this.#inFlight = undefined;
  }
}

/** How far the response to a request has come, and what is held of it. */
export class ResponseProgress {
  #respondedAt = 0;
  #sentBytes = 0;
  #failureLogged = false;
  #isTooSlow = false;
  #heldBytes = 0;

  /** When the response was complete, in milliseconds of `performance.now()`; 0 until then, and for streams. */
  get respondedAt(): number {
    return this.#respondedAt;
  }

  /** Size of the response body in bytes. */
  get sentBytes(): number {
    return this.#sentBytes;
  }

  /** Whether a watch was ended because its client does not keep up. */
  get isTooSlow(): boolean {
    return this.#isTooSlow;
  }

  tooSlow(): void {
    this.#isTooSlow = true;
  }

  /** Whether a failure of the request has been logged together with its cause. */
  get failureLogged(): boolean {
    return this.#failureLogged;
  }

  /** Marks the response as complete, with the size of its body. */
  respond(bytes: number): void {
    this.#sentBytes = bytes;
    this.#respondedAt = performance.now();
  }

  /** Counts a part of a stream that was sent. */
  countSent(bytes: number): void {
    this.#sentBytes += bytes;
  }

  markFailureLogged(): void {
    this.#failureLogged = true;
  }

  /** Charges what is kept of the response until it is sent. Returns false if the client's connection already holds too much. */
  hold(account: ConnectionAccount, bytes: number): boolean {
    const taken = account.charge(Held.RESPONSES, bytes);
    if (taken) this.#heldBytes += bytes;
    return taken;
  }

  release(account: ConnectionAccount): void {
    if (this.#heldBytes > 0) account.release(Held.RESPONSES, this.#heldBytes);
    this.#heldBytes = 0;
  }
}
