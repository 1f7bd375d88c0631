import { Injectable } from '@nestjs/common';
import type { ApiRequest } from './api-request.js';
import { IntrusiveSet } from './intrusive-set.js';

/** Ends a long-running response, such as a watch, when the server shuts down. */
export type EndStream = () => void;

/** The requests without a complete response. A shutdown ends the watches among them and waits for the others. */
@Injectable()
export class RequestsInFlight {
  readonly #requests = new IntrusiveSet<ApiRequest>();
  readonly #streams = new Map<ApiRequest, EndStream>();
  #draining = false;
  #idle: (() => void) | undefined;

  get draining(): boolean {
    return this.#draining;
  }

  get size(): number {
    return this.#requests.size;
  }

  start(request: ApiRequest): void {
    this.#requests.add(request);
  }

  /** Registers a response that does not end by itself. During a shutdown it is ended at once. */
  startStream(request: ApiRequest, end: EndStream): void {
    this.#streams.set(request, end);
    if (this.#draining) end();
  }

  end(request: ApiRequest): void {
    this.#requests.delete(request);
    if (this.#streams.size > 0) this.#streams.delete(request);
    if (this.#requests.size === 0) this.#idle?.();
  }

  forEach(visit: (request: ApiRequest) => void): void {
    this.#requests.forEach(visit);
  }

  /** Ends the responses that do not end by themselves. */
  endStreams(): void {
    for (const end of [...this.#streams.values()]) end();
  }

  /** Ends all streams and waits until no request is in progress, at most `graceMs`. */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true;
    this.endStreams();
    if (this.#requests.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#idle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
