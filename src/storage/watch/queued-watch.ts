import { BookmarkTimer } from './bookmark-timer.js';
import type { KeyRange, StoreEvent, Watch, WatchItem, WatchOptions, WatchReceiver } from '../object-store.js';
import { inRange } from '../object-path.js';
import type { Scheduler } from '../../time/scheduler.js';
import { WATCH_BACKLOG_BYTES } from '../storage-limits.js';
import { translateEvent } from './translate-event.js';

/** A watch on a MemoryStore. Items are delivered in a turn of their own, so never before `watch()` has resolved. */
export class QueuedWatch implements Watch {
  readonly closed: Promise<void>;
  readonly #range: KeyRange;
  readonly #options: WatchOptions;
  readonly #receive: WatchReceiver;
  readonly #bookmarks: BookmarkTimer | undefined;
  readonly #onClose: () => void;
  #queue: WatchItem[] = [];
  /** Everything up to this revision is queued or delivered. */
  #queued: number;
  #revision: number;
  #open = true;
  #resolveClosed!: () => void;

  /** `after`: deliver events after this revision, which may be in the future. */
  constructor(
    request: { range: KeyRange; options: WatchOptions; receive: WatchReceiver },
    after: number,
    scheduler: Scheduler,
    onClose: () => void,
  ) {
    this.#range = request.range;
    this.#options = request.options;
    this.#receive = request.receive;
    this.#queued = this.#revision = after;
    this.#onClose = onClose;
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    if (request.options.bookmarks) this.#bookmarks = new BookmarkTimer(scheduler, () => this.#bookmark());
  }

  get revision(): number {
    return this.#revision;
  }

  /** Queues those of the events, of any range and in order, that the watch selects. */
  offer(events: readonly StoreEvent[], revision: number): void {
    for (const event of events) {
      if (event.revision <= this.#queued || !inRange(this.#range, event.object.key)) continue;
      const translated = translateEvent(event, this.#options.predicate);
      if (translated) this.push({ kind: 'event', event: translated });
    }
    this.#queued = Math.max(this.#queued, revision);
    if (this.#queue.length === 0) this.#revision = this.#queued;
  }

  /** Queues an item for a later turn. Ignored once the watch is closed or an error is queued. */
  push(item: WatchItem): void {
    if (!this.#open || this.#queue.at(-1)?.kind === 'error') return;
    if (this.#queue.push(item) === 1) setImmediate(() => this.#flush());
  }

  reportBacklog(bytes: number): void {
    if (bytes > WATCH_BACKLOG_BYTES) this.close();
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#bookmarks?.stop();
    this.#onClose();
    this.#resolveClosed();
  }

  #bookmark(): void {
    this.push({ kind: 'bookmark', revision: this.#queued, initialEventsEnd: false });
  }

  #flush(): void {
    if (!this.#open) return;
    const items = this.#queue;
    this.#queue = [];
    this.#revision = this.#queued;
    this.#receive(items);
    if (items.at(-1)?.kind === 'error') this.close();
  }
}
