import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.js';
import { flushWithCommit } from '../../database/session/flush.js';
import { toStorageError } from '../../database/session/pg-errors.js';
import { sendQuery } from '../../database/session/database-client.js';
import { RevisionGaps } from '../../revisions.js';
import { compactedError, tooLargeRevisionError } from '../../storage-errors.js';
import { type DatabaseHistory, type KnownHistory, type PlacedHistory, LineageRepository, judgeHistory } from './lineage.repository.js';
import type { LineageMark } from './lineage-mark.js';

/** The fate of the history when the database turned out to have changed; see `LineageObserver`. */
export type LineageChange = 'continued' | 'lost' | 'moved';

/** Receives events of a Lineage, for metrics. Callbacks must not throw. */
export interface LineageObserver {
  /**
   * The place of the database was looked up. `continued`: it was restarted or replaced, and everything seen is part of its history; `lost`:
   * something seen is not, so caches reload; `moved`: it is the same, but a connection led to another copy.
   */
  lineageChanged?(change: LineageChange): void;
}

/** Each attempt settles the lineage unless the address leads to another server each time. */
const MAX_ATTEMPTS = 3;

/**
 * The one place that decides whether the database is still the one that this process knows.
 *
 * Every statement whose result depends on history returns a mark. If the mark is not that of the known lineage (`accepts`), a dedicated
 * connection finds out where the address leads now (`renew`), starts a new lineage if the old one does not continue there, and notifies
 * everything that holds state of a lineage: segments, the writer's counter, connections and, through `gaps`, caches.
 */
export class Lineage {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #observer: LineageObserver;
  #changed: (moved: boolean) => void = () => undefined;
  #known: KnownHistory | undefined;
  #place = '';
  #start = 0;
  #gaps = RevisionGaps.none;
  #renewing: Promise<void> | undefined;
  #renewals = 0;
  #foundAt = 0;

  constructor(database: Database, logger: Logger, observer: LineageObserver = {}) {
    this.#database = database;
    this.#logger = logger;
    this.#observer = observer;
  }

  /** First revision of the current lineage; no gap ends above it. */
  get start(): number {
    return this.#start;
  }

  /** The newest revision that is known to be on disk; 0: none yet. */
  get newest(): number {
    return this.#known?.newest ?? 0;
  }

  get gaps(): RevisionGaps {
    return this.#gaps;
  }

  /** When the place of the database was last looked up, in milliseconds of this process's clock; 0: not yet. */
  get foundAt(): number {
    return this.#foundAt;
  }

  /**
   * Has this called, synchronously, after each lookup of the place of the database except the first. `moved`: open connections may lead
   * elsewhere than new ones.
   */
  onChange(changed: (moved: boolean) => void): void {
    this.#changed = changed;
  }

  /** Whether a result with this mark comes from the known lineage, in the place where it is written. */
  accepts(mark: LineageMark): boolean {
    return mark.at_home && mark.lineage === this.#known?.lineage;
  }

  /** Records a revision of the known lineage that this process has seen, and that no crash of the database takes back. */
  note(revision: number): void {
    if (this.#known && revision > this.#known.newest) this.#known = { lineage: this.#known.lineage, newest: revision };
  }

  /** Looks up the place of the database. Concurrent calls share one lookup. Rejects with StorageError Unavailable. */
  renew(): Promise<void> {
    return (this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined)));
  }

  /**
   * Repeats a read until its result belongs to the known lineage, and no crash of the database can take it back: what SQL clients commit is visible before
   * it is on disk (docs/decisions/0049-release-early-flush-together.md). `restsOn`: the newest revision of which the result tells, unless it is known to be
   * on disk; by default that of the mark.
   */
  async settled<T>(
    read: (flushes: boolean) => Promise<T>,
    markOf: (answer: T) => LineageMark | undefined,
    {
      restsOn = (answer) => markOf(answer)?.newest ?? 0,
      flushes = false,
    }: { readonly restsOn?: (answer: T) => number; readonly flushes?: boolean } = {},
  ): Promise<T> {
    let isFlushed = flushes;
    for (let attempt = 0; ; attempt++) {
      const renewals = this.#renewals;
      // of before the read: what is known of later might be of after a crash that took back what is read
      const seen = this.newest;
      const answer = await read(isFlushed);
      const mark = markOf(answer);
      if (!mark) return answer;
      if (this.accepts(mark) && mark.newest >= seen) {
        if (isFlushed || restsOn(answer) <= seen) return answer;
        isFlushed = true;
        continue;
      }
      if (attempt >= MAX_ATTEMPTS) throw toStorageError(new Error('connections to the database lead to different places'));
      // A result from before a renewal says nothing about what the renewal found.
      if (renewals === this.#renewals) await this.renew();
    }
  }

  /**
   * The same for a read of an earlier revision, if it is one. StorageError Compacted, or TooLargeRevision, where this history does not have
   * the revision any more, or yet.
   */
  async settledAt<Row extends LineageMark & { readonly compacted: number }>(
    revision: number | undefined,
    read: (flushes: boolean) => Promise<Row[]>,
  ): Promise<Row[]> {
    const rows = await this.settled(read, ([row]) => row, { restsOn: ([row]) => revision ?? row?.newest ?? 0 });
    if (revision === undefined) return rows;
    const { newest = 0, compacted = 0 } = rows[0] ?? {};
    const gap = this.#gaps.around(revision);
    if (gap) throw compactedError(revision, gap.began);
    if (revision > newest) throw tooLargeRevisionError(BigInt(revision), newest);
    if (revision < compacted) throw compactedError(revision, compacted);
    return rows;
  }

  async #renew(): Promise<void> {
    try {
      const client = await this.#database.connect('lineage');
      try {
        await client.query('begin');
        const found = await this.#settle(new LineageRepository(client));
        await flushWithCommit(client);
        await sendQuery(client, { text: 'commit' });
        this.#accept(found);
      } finally {
        await client.end();
      }
    } catch (error) {
      throw toStorageError(error);
    }
  }

  async #settle(repository: LineageRepository): Promise<Found> {
    const seen = await repository.read(false);
    this.#database.refuseOther(seen.installation);
    if (judgeHistory(seen, this.#known).beginAfter === undefined) return { history: seen, ...judgeHistory(seen, this.#known) };
    // The counter is locked, so this read is final.
    const history = await repository.read(true);
    const { continuous, beginAfter: ended } = judgeHistory(history, this.#known);
    if (ended === undefined) return { history, continuous };
    const id = 1 + randomInt(2 ** 47);
    const began = await repository.begin({ id, ended, above: this.#known?.newest ?? 0, nowMs: Date.now() });
    return { history: { ...history, lineage: id, value: began, lineages: [...history.lineages, { id, ended, began }] }, continuous };
  }

  #accept({ history, continuous }: Found): void {
    const before = this.#known;
    const place = this.#place;
    this.#renewals++;
    this.#place = history.place;
    this.#start = history.lineages.at(-1)?.began ?? 0;
    this.#gaps = new RevisionGaps(history.lineages);
    this.#known = { lineage: history.lineage, newest: history.value };
    this.#foundAt = Date.now();
    if (!before) return;
    const moved = history.place !== place || history.lineage === before.lineage;
    this.#tell(before, history, continuous);
    this.#changed(moved);
  }

  #tell(before: KnownHistory, { lineage, value }: DatabaseHistory, continuous: boolean): void {
    const facts = { lineage, revision: value, seen: before.newest };
    const change = !continuous ? 'lost' : lineage !== before.lineage ? 'continued' : 'moved';
    this.#logger[change === 'continued' ? 'info' : 'warn'](facts, TOLD[change]);
    this.#observer.lineageChanged?.(change);
  }
}

const TOLD: Readonly<Record<LineageChange, string>> = {
  lost: 'the database lost revisions that were already seen: clients that saw them have to list again',
  continued: 'the database was restarted or replaced; its history continues',
  moved: 'a connection led to another copy of the database: reopening all connections',
};

/** The findings of a lookup, after a new lineage was started if necessary. */
interface Found {
  readonly history: PlacedHistory;
  readonly continuous: boolean;
}
