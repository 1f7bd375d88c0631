import { WatchedMemoryStore } from './watched-memory-store.js';
import type { ObjectStore } from '../../src/storage/object-store.js';

/** A store that holds back creations of leases until they are released. */
export class HeldStore extends WatchedMemoryStore {
  /** The number of creations held so far. */
  count = 0;
  readonly arrived: Promise<void>;
  #arrive!: () => void;
  #release!: () => void;
  readonly #held: Promise<void>;

  constructor() {
    super();
    this.arrived = new Promise((resolve) => (this.#arrive = resolve));
    this.#held = new Promise((resolve) => (this.#release = resolve));
  }

  release(): void {
    this.#release();
  }

  override async create(...args: Parameters<ObjectStore['create']>): ReturnType<ObjectStore['create']> {
    if (args[0].resource !== 'namespaces') {
      this.count++;
      this.#arrive();
      await this.#held;
    }
    return super.create(...args);
  }
}
