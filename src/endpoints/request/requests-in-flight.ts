import { Injectable } from '@nestjs/common';
import type { ApiRequest } from './api-request.js';

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

/** An item of an IntrusiveSet. It can be in one set at a time. */
export interface Slotted {
  /** The item's index in the set, -1 if it is in none. Only the set writes it. */
  slot: number;
}

/**
 * An unordered set whose items store their own index, for items that are added and removed thousands of times a second. A Set would
 * burden the garbage collector: V8 rehashes it into new tables, and each old table keeps its successor and its items alive until a full
 * collection. Measured: with a Set, ten times as much memory per request reached the old generation.
 */
export class IntrusiveSet<T extends Slotted> {
  readonly #slots: (T | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#slots.length - this.#free.length;
  }

  add(item: T): void {
    item.slot = this.#free.pop() ?? this.#slots.length;
    this.#slots[item.slot] = item;
  }

  /** Does nothing for an item that is not in the set. */
  delete(item: T): void {
    if (item.slot < 0) return;
    this.#slots[item.slot] = undefined;
    this.#free.push(item.slot);
    item.slot = -1;
  }

  /** Items that are added or deleted during the visit may or may not be visited. */
  forEach(visit: (item: T) => void): void {
    for (const item of this.#slots) if (item) visit(item);
  }
}
