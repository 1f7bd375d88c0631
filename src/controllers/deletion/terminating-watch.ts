import type { Logger } from 'pino';
import { logWatchEnd } from '../machinery/informer.js';
import { retryDelay } from '../machinery/retry-queue.js';
import type { ObjectStore, StoredObject, Watch, WatchItem } from '../../storage/object-store.js';
import type { Scheduler } from '../../time/scheduler.js';

export interface TerminatingWatchOptions {
  readonly objects: ObjectStore;
  /** The resource name in storage keys: `leases.coordination.k8s.io`. */
  readonly resource: string;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** Called for every state of a terminating object: first the existing ones, then every change. */
  readonly onObject: (object: StoredObject) => void;
}

/** Watches the terminating objects of one resource. A watch that fails or ends is restarted. */
export class TerminatingWatch {
  readonly #options: TerminatingWatchOptions;
  #watch: Watch | undefined;
  #cancelRetry: (() => void) | undefined;
  #failures = 0;
  #stopped = false;

  constructor(options: TerminatingWatchOptions) {
    this.#options = options;
  }

  /** Resolves once the first watch has begun, or its first failure has been logged. */
  async start(): Promise<void> {
    const { objects, resource } = this.#options;
    try {
      const watch = await objects.watch(
        { resource },
        { initialState: { kind: 'latest' }, predicate: (object) => object.terminating },
        (items) => this.#receive(items),
      );
      if (this.#stopped) return watch.close();
      this.#watch = watch;
      void watch.closed.then(() => this.#retry());
    } catch (error) {
      this.#options.logger.error({ err: error, resource }, 'controller cannot watch');
      this.#retry();
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelRetry?.();
    this.#watch?.close();
  }

  #receive(items: readonly WatchItem[]): void {
    for (const item of items) {
      if (item.kind === 'event' && item.event.type !== 'DELETED') this.#options.onObject(item.event.object);
      if (item.kind === 'error') logWatchEnd(this.#options.logger, item.error, this.#options.resource);
      else this.#failures = 0;
    }
  }

  #retry(): void {
    if (this.#stopped) return;
    this.#cancelRetry = this.#options.scheduler.after(retryDelay(this.#failures++), () => void this.start());
  }
}
