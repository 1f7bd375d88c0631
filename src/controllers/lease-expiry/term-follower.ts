import type { Logger } from 'pino';
import type { LeaseTerm } from '../../apis/history/lease-term/lease-term.schema.js';
import type { ObjectStore, StoreEvent, Watch, WatchItem } from '../../storage/object-store.js';
import type { Storage } from '../../storage/storage.js';
import type { Scheduler } from '../../time/scheduler.js';
import { TERM_RESOURCE } from '../../storage/term-change.js';

/** What a change of a term says of its lease. */
interface FollowedChange {
  /** Whether the term is open and has lapsed. */
  readonly lapsed: boolean;
  /** Who holds the lease by a term that has begun. */
  readonly begunBy?: string;
  /** Whether the term ended because somebody else took the lease. */
  readonly taken: boolean;
  /** Whether this change marks the term as lapsed. */
  readonly news: boolean;
}

export interface TermFollowerOptions {
  readonly objects: Pick<ObjectStore, 'watch'>;
  readonly lapses: Pick<Storage['lapses'], 'list'>;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** Called when all terms are known anew. */
  readonly onList: () => void;
  readonly onChange: (path: string, change: FollowedChange) => void;
}

const RETRY_MS = 1_000;
/** Strings within a term escape their quotes, so these are the term's own fields. */
const LAPSED = '"lapsed":true';
const HELD = '"status":{"phase":"Held"';
const TAKEN = /"status":\{"phase":"Ended".*"reason":"(Expired|Replaced)"/;

/** Follows which open terms have lapsed: a list, and the changes of all terms; both again when the watch ends. */
export class TermFollower {
  readonly #options: TermFollowerOptions;
  #lapsed = new Set<string>();
  /** What changes have said since the watch began, until the list is there: it may be older than they are. */
  readonly #told = new Map<string, boolean>();
  #isListing = false;
  #watch: Watch | undefined;
  #cancel: (() => void) | undefined;
  #stopped = false;

  constructor(options: TermFollowerOptions) {
    this.#options = options;
  }

  /** Whether the open term of a lease, as `namespace/name`, has lapsed. */
  hasLapsed(path: string): boolean {
    return this.#lapsed.has(path);
  }

  /** Resolves after the first list, or its failure. */
  async start(): Promise<void> {
    const { objects, lapses, logger } = this.#options;
    let watch: Watch | undefined;
    try {
      this.#told.clear();
      this.#isListing = true;
      watch = this.#watch = await objects.watch({ resource: TERM_RESOURCE }, {}, (items) => this.#receive(items));
      void watch.closed.then(() => this.#retry(watch));
      this.#listed(await lapses.list(), watch);
    } catch (err) {
      logger.warn({ err }, 'cannot follow the terms of leases; trying again');
      this.#retry(watch);
    }
    if (this.#stopped) watch?.close();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
    this.#watch?.close();
  }

  #listed(lapsed: Set<string>, watch: Watch): void {
    // a watch that has ended meanwhile is followed by another list
    if (this.#stopped || this.#watch !== watch) return;
    this.#lapsed = lapsed;
    for (const [path, hasLapsed] of this.#told) this.#set(path, hasLapsed);
    this.#told.clear();
    this.#isListing = false;
    this.#options.onList();
  }

  #set(path: string, hasLapsed: boolean): void {
    if (hasLapsed) this.#lapsed.add(path);
    else this.#lapsed.delete(path);
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
      ...(type === 'ADDED' && { begunBy: (JSON.parse(object.data) as LeaseTerm).spec?.holder ?? '' }),
      taken: TAKEN.test(object.data),
      news: hasLapsed && !previous?.data.includes(LAPSED),
    };
    const path = `${namespace}/${name.slice(0, name.lastIndexOf('.'))}`;
    this.#set(path, change.lapsed);
    if (this.#isListing) this.#told.set(path, change.lapsed);
    this.#options.onChange(path, change);
  }
}
