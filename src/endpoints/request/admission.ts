import type { Ticket } from '../flow-control/ticket.js';
import type { InFlight } from '../metrics/in-flight.js';
import type { RequestSeries } from '../metrics/request-series.js';

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
