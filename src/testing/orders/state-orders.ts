import { IsDefined } from 'class-validator';
import type { MemorySnapshot } from '../../storage/memory/memory-store.js';
import type { MemoryStorage } from '../../storage/open-memory-storage.js';
import type { TestDuration } from '../test-server.js';
import { durationOf } from './order-values.js';

const LONGEST_LATENCY_MS = 60_000;

export class StoreLatency {
  @IsDefined({ message: 'latency is missing: how long each write takes, such as 50ms' })
  latency!: TestDuration;
}

/** Orders about what is stored. */
export class StateOrders {
  readonly #storage: MemoryStorage;
  readonly #latency: { ms: number };
  #snapshot: MemorySnapshot;

  /** `latency` is read by the store, before each write. */
  constructor(storage: MemoryStorage, latency: { ms: number }) {
    this.#storage = storage;
    this.#latency = latency;
    this.#snapshot = storage.memory.snapshot();
  }

  slow({ latency }: StoreLatency): void {
    this.#latency.ms = durationOf('latency', latency, LONGEST_LATENCY_MS);
  }

  snapshot(): void {
    this.#snapshot = this.#storage.memory.snapshot();
  }

  restore(): void {
    this.#latency.ms = 0;
    this.#storage.announcements.clear();
    this.#storage.memory.restore(this.#snapshot);
  }
}
