import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '../database/database.js';
import { toStorageError } from '../database/pg-errors.js';
import { RevisionGaps } from '../revision-gaps.js';
import type { DatabasePast, KnownPast } from './judge-past.js';
import { gapsOf, judgePast } from './judge-past.js';
import type { LineageMark, PlacedPast } from './lineage.repository.js';
import { LineageRepository } from './lineage.repository.js';
import type { LineageChange, LineageObserver } from './store-observer.js';

/** Each attempt ends with a lineage, unless the address leads to another server each time. */
const MOST_ATTEMPTS = 3;

/** `moved`: connections that are open may lead elsewhere than new ones do. */
export type LineageListener = (moved: boolean) => void;

/**
 * The one place that decides whether the database is still the one that this process knows.
 *
 * Every statement whose answer depends on the past brings a mark along. Where that is not the known one (`accepts`), a connection of
 * its own looks where the address leads now (`renew`), begins a new lineage if the old one does not go on there, and tells everybody who
 * keeps something that belongs to a lineage: segments, the writer's counter, connections, caches by way of `gaps`.
 */
export class Lineage {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #observer: LineageObserver;
  readonly #listeners = new Set<LineageListener>();
  #known: KnownPast | undefined;
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

  /** No gap ends above it. */
  get start(): number {
    return this.#start;
  }

  get gaps(): RevisionGaps {
    return this.#gaps;
  }

  /** When it was last looked where the database is, in milliseconds by this process's clock; 0: not yet. */
  get foundAt(): number {
    return this.#foundAt;
  }

  /** Calls back, synchronously, after it was looked where the database is, save the first time. */
  onChange(listener: LineageListener): void {
    this.#listeners.add(listener);
  }

  /** Whether an answer with this mark comes from the known lineage, in the place where it is written. */
  accepts(mark: LineageMark): boolean {
    return mark.at_home && mark.lineage === this.#known?.lineage;
  }

  /** A revision of the known lineage that this process has seen. */
  note(revision: number): void {
    if (this.#known && revision > this.#known.newest) this.#known = { lineage: this.#known.lineage, newest: revision };
  }

  /** Looks anew where the database is. Those who ask meanwhile share the answer. StorageError Unavailable. */
  renew(): Promise<void> {
    return (this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined)));
  }

  /** Repeats a read until its answer is of the known lineage. */
  async settled<T>(read: () => Promise<T>, markOf: (answer: T) => LineageMark | undefined): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      const renewals = this.#renewals;
      const seen = this.#known?.newest ?? 0;
      const answer = await read();
      const mark = markOf(answer);
      if (!mark || (this.accepts(mark) && mark.newest >= seen)) return answer;
      if (attempt >= MOST_ATTEMPTS) throw toStorageError(new Error('connections to the database lead to different places'));
      // an answer from before a renewal says nothing about what was found then
      if (renewals === this.#renewals) await this.renew();
    }
  }

  async #renew(): Promise<void> {
    try {
      const client = await this.#database.connect('lineage');
      try {
        await client.query('begin');
        const found = await this.#settle(new LineageRepository(client));
        await client.query('commit');
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
    if (judgePast(seen, this.#known).beginAfter === undefined) return { past: seen, ...judgePast(seen, this.#known) };
    // the counter is locked, so this is how it stays
    const past = await repository.read(true);
    const { continuous, beginAfter: ended } = judgePast(past, this.#known);
    if (ended === undefined) return { past, continuous };
    const id = 1 + randomInt(2 ** 47);
    const began = await repository.begin({ id, ended, above: this.#known?.newest ?? 0, nowMs: Date.now() });
    return { past: { ...past, lineage: id, value: began, lineages: [...past.lineages, { id, ended, began }] }, continuous };
  }

  #accept({ past, continuous }: Found): void {
    const before = this.#known;
    const place = this.#place;
    this.#renewals++;
    this.#place = past.place;
    this.#start = past.lineages.at(-1)?.began ?? 0;
    this.#gaps = gapsOf(past.lineages);
    this.#known = { lineage: past.lineage, newest: past.value };
    this.#foundAt = Date.now();
    if (!before) return;
    const moved = past.place !== place || past.lineage === before.lineage;
    this.#tell(before, past, continuous);
    for (const listener of this.#listeners) listener(moved);
  }

  #tell(before: KnownPast, { lineage, value }: DatabasePast, continuous: boolean): void {
    const facts = { lineage, revision: value, seen: before.newest };
    const change = !continuous ? 'lost' : lineage !== before.lineage ? 'continued' : 'moved';
    this.#logger[change === 'continued' ? 'info' : 'warn'](facts, TOLD[change]);
    this.#observer.lineageChanged?.(change);
  }
}

const TOLD: Readonly<Record<LineageChange, string>> = {
  lost: 'the database lost revisions that were seen: clients that saw them have to list again',
  continued: 'the database was restarted or replaced, and its history goes on',
  moved: 'a connection led to another copy of the database: all are opened anew',
};

/** What a connection of its own has found out, after a new lineage was begun where one had to. */
interface Found {
  readonly past: PlacedPast;
  readonly continuous: boolean;
}
