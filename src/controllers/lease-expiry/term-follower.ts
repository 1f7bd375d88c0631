import type { Logger } from 'pino';
import type { ObjectStore, StoreEvent, Watch, WatchItem } from '../../storage/object-store.js';
import type { Lapses } from '../../storage/postgres/terms/lapses.js';
import type { Scheduler } from '../../storage/scheduler.js';
import { TERM_RESOURCE } from '../../storage/term-change.js';

/** What a change of a term says of its lease. */
interface FollowedChange {
  /** Whether the term is open and has lapsed. */
  readonly lapsed: boolean;
  readonly begun: boolean;
  /** It lapses with this change. */
  readonly news: boolean;
}

export interface TermFollowerOptions {
  readonly objects: ObjectStore;
  readonly lapses: Lapses;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** The leases, as `namespace/name`, whose terms have lapsed and are open; later changes follow, and maybe some that are in it already. */
  readonly onList: (lapsed: ReadonlySet<string>) => void;
  readonly onChange: (path: string, change: FollowedChange) => void;
}

const RETRY_MS = 1_000;
/** Strings within a term escape their quotes, so these are the term's own fields. */
const LAPSED = '"lapsed":true';
const HELD = '"status":{"phase":"Held"';

/** Follows which open terms have lapsed: a list, and the changes of all terms; both again when the watch ends. */
export class TermFollower {
  readonly #options: TermFollowerOptions;
  #watch: Watch | undefined;
  #cancel: (() => void) | undefined;
  #stopped = false;

  constructor(options: TermFollowerOptions) {
    this.#options = options;
  }

  /** Resolves after the first list, or its failure. */
  async start(): Promise<void> {
    const { objects, lapses, logger, onList } = this.#options;
    try {
      const watch = (this.#watch = await objects.watch({ resource: TERM_RESOURCE }, {}, (items) => this.#receive(items)));
      void watch.closed.then(() => this.#retry(watch));
      onList(await lapses.list());
    } catch (err) {
      logger.warn({ err }, 'cannot follow the terms of leases; trying again');
      this.#retry(this.#watch);
    }
    if (this.#stopped) this.#watch?.close();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
    this.#watch?.close();
  }

  #retry(ended: Watch | undefined): void {
    if (this.#stopped || this.#watch !== ended) return;
    this.#watch = undefined;
    ended?.close();
    this.#cancel = this.#options.scheduler.after(RETRY_MS, () => void this.start());
  }

  #receive(items: readonly WatchItem[]): void {
    for (const item of items) {
      if (this.#stopped) return;
      if (item.kind === 'event') this.#tell(item.event);
    }
  }

  #tell({ type, object, previous }: StoreEvent): void {
    const { namespace, name } = object.key;
    const hasLapsed = object.data.includes(LAPSED);
    const change = {
      lapsed: hasLapsed && object.data.includes(HELD),
      begun: type === 'ADDED',
      news: hasLapsed && !previous?.data.includes(LAPSED),
    };
    this.#options.onChange(`${namespace}/${name.slice(0, name.lastIndexOf('.'))}`, change);
  }
}
