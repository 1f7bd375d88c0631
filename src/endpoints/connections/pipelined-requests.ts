import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { WorkTurns, Worker } from './work-turns.js';

/** A request that has come; answers the response with which it begins. */
export type BeginRequest = () => ServerResponse;

/**
 * Requests over HTTP/1.1 begin one after the other on each connection, as with Go's server. A client may send more without waiting for
 * answers, and node:http would start them all at once. So many may wait; one more ends the connection.
 */
export class PipelinedRequests {
  readonly #limit: number;
  readonly #turns: WorkTurns;
  readonly #pipelines = new WeakMap<Socket, Pipeline>();

  constructor(limit: number, turns: WorkTurns) {
    this.#limit = limit;
    this.#turns = turns;
  }

  /** Begins the request when it is its turn; never, where its connection ends before. */
  add(socket: Socket, begin: BeginRequest): void {
    let pipeline = this.#pipelines.get(socket);
    if (!pipeline) this.#pipelines.set(socket, (pipeline = new Pipeline(socket, this.#turns)));
    if (pipeline.length < this.#limit) pipeline.add(begin);
    else socket.destroy();
  }
}

/** The requests of one connection that are not answered. */
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
