import type { ApiRequest } from '../request/api-request.js';
import { SlotList } from './slot-list.js';

/** What ends a long-running answer, such as a watch, when the server goes down. */
export type EndStream = () => void;

/** Everything that is being answered, so that a shutdown can wait for it: watches are ended, the rest may finish. */
export class RequestsUnderWay {
  readonly #requests = new SlotList<ApiRequest>();
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

  /** Marks a request as a stream without an end of its own. While draining it is ended at once. */
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

  /** Ends all streams and waits until nothing is under way, or until the time is up. */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true;
    for (const end of [...this.#streams.values()]) end();
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
