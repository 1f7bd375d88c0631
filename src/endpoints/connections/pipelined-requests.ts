import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { accountOf } from '../ledger/account-of.js';
import type { WorkTurns, Worker } from './work-turns.js';

/** Starts a request that has arrived; returns its response. */
export type BeginRequest = () => ServerResponse;

/**
 * Starts HTTP/1.1 requests one after the other on each connection, like Go's server. A client may send more requests without waiting for
 * responses, and node:http would start them all at once. Up to the limit may wait; one more ends the connection.
 */
export class PipelinedRequests {
  readonly #limit: number;
  readonly #turns: WorkTurns;
  readonly #pipelines = new WeakMap<Socket, Pipeline>();

  constructor(limit: number, turns: WorkTurns) {
    this.#limit = limit;
    this.#turns = turns;
  }

  /** Starts the request when its turn comes; never, if its connection ends earlier. */
  add(socket: Socket, begin: BeginRequest): void {
    let pipeline = this.#pipelines.get(socket);
    if (!pipeline) this.#pipelines.set(socket, (pipeline = new Pipeline(socket, this.#turns)));
    if (pipeline.length < this.#limit) pipeline.add(begin);
    else socket.destroy();
  }
}

/** The unanswered requests of one connection. */
class Pipeline implements Worker {
  readonly #socket: Socket;
  readonly #turns: WorkTurns;
  #waiting: BeginRequest[] = [];
  #isAnswering = false;

  constructor(socket: Socket, turns: WorkTurns) {
    this.#socket = socket;
    this.#turns = turns;
  }

  get length(): number {
    return this.#waiting.length + (this.#isAnswering ? 1 : 0);
  }

  get owner(): object {
    return accountOf(this.#socket).owner;
  }

  add(begin: BeginRequest): void {
    this.#waiting.push(begin);
    if (this.#waiting.length === 1) this.goOn();
  }

  goOn(): void {
    if (this.#socket.destroyed) this.#waiting = [];
    if (this.#isAnswering || this.#waiting.length === 0 || !this.#turns.take(this)) return;
    const begin = this.#waiting.shift();
    this.#isAnswering = true;
    begin?.().once('close', () => {
      this.#isAnswering = false;
      this.goOn();
    });
  }
}
