import { microTime } from '../../../apimachinery/go/go-time.js';
import type { Database } from '../../database/database.js';
import { aroseIn, isCancelled, isLockTimeout } from '../../database/session/pg-errors.js';
import { sqlStatement } from '../../database/statement/statement.js';
import type { ObjectKey, StoreEvent, StoredObject } from '../../object-store.js';
import { StorageError } from '../../storage-errors.js';
import { type LapseChange, type TermChange, type TermEnd, TERM_RESOURCE, termHolder, termLabels } from '../../term-change.js';
import type { CounterRepository } from '../lineage/counter.repository.js';
import { atHome, briefLocks } from '../lineage/lineage-mark.js';
import { keyOf } from '../rows/object-row.js';
import { type SequelRow, type Sequels, BATCH_CHANGES, counterFor, outcomeWith } from '../write/batch-statement.js';
import type { PendingWrite } from '../write/pending-write.js';

/** A change of a term that no write of its lease makes, as `lease_change_terms` takes it. */
export interface TermCorrection {
  readonly namespace: string;
  readonly lease: string;
  /** The revision that the lease must still have; 0: it must not exist. */
  readonly lease_revision: number;
  readonly [field: string]: string | number | undefined;
}

/** What writers of terms share. */
export interface TermWriterOptions {
  /** NOTIFY channel; empty sends none. */
  readonly channel: () => string;
  /** Called after each commit: this process reads it as it reads those of others. */
  readonly committed: () => void;
}

/** A try without effect means that the segment or the lineage changed just then. */
const MAX_TRIES = 5;

/** Changes terms outside the writes of leases: by what a comparison with the leases finds, and as holders are late. */
export class TermWriter {
  readonly #database: Database;
  readonly #counters: CounterRepository;
  readonly #options: TermWriterOptions;

  constructor(database: Database, counters: CounterRepository, options: TermWriterOptions) {
    this.#database = database;
    this.#counters = counters;
    this.#options = options;
  }

  /** Answers the paths of the terms that were changed. StorageError Unavailable: some may have. */
  async change(changes: readonly (TermCorrection | LapseChange)[]): Promise<string[]> {
    if (changes.length === 0) return [];
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const { segment, lineage } = await this.#counters.current();
      const values = [changes.length * REVISIONS_OF_A_CHANGE, segment, this.#options.channel(), lineage, JSON.stringify(changes)] as const;
      const rows = await this.#database.query(CHANGE_TERMS, values, { isDurable: true });
      if (rows.length === 0) continue;
      this.#options.committed();
      return rows.flatMap(({ path }) => path ?? []);
    }
    throw new StorageError('Unavailable', 'the revision counter does not come to rest');
  }
}

/** Receives the terms that commits begin and end, for metrics. */
export interface TermObserver {
  termBegun?(): void;
  termEnded?(reason: TermEnd): void;
}

/**
 * A batch in which some write begins or ends a term: batch-statement.ts, and in the same commit the changes of terms of the writes that took
 * effect. $21 has them, each with how many revisions before the last write its own is (`ago`); they take at most $20 revisions, which follow
 * those of the writes. Usually all writes take effect, and $21 is passed on as it is. What the function returns is joined as it is, since each
 * copy of the rows takes time with the counter locked.
 */
export const COMMIT_TERMS = sqlStatement<SequelRow, readonly unknown[]>(
  'commit_terms',
  `
    with ${counterFor('($1::bigint + $20::bigint)')}, ${BATCH_CHANGES}, term_change as (
      select case when (select count(*) from changed) = $1 then $21::jsonb else (
        select jsonb_agg(t.change) from jsonb_array_elements($21::jsonb) t(change)
        join changed on changed.revision = counter.base + $1 - (t.change ->> 'ago')::bigint
      ) end as changes
      from counter
    )${outcomeWith(
      ',\n           term.revision, term.path, term.uid, term.data, term.previous_revision, term.previous',
      `
    left join (
      term_change cross join lateral lease_change_terms(counter.base + $1, counter.segment, term_change.changes) term
    ) on true`,
    )}`,
);

/** Records the terms that writes of leases begin and end; `lost` is called where that fails. */
export function termSequels(observer: TermObserver, lost: () => void): Sequels {
  return {
    statement: COMMIT_TERMS,
    of: (batch) => {
      if (batch.every(({ sequel }) => sequel === undefined)) return undefined;
      const changes = termChanges(batch);
      return { revisions: changes.length * REVISIONS_OF_A_CHANGE, value: JSON.stringify(changes) };
    },
    committed: (rows) => {
      const events = rows.flatMap(eventOf).sort((a, b) => a.revision - b.revision);
      for (const event of events) observe(observer, event);
      return events;
    },
    // Any certain error may be due to terms, except for a wait that was too long elsewhere: the same batch would wait again.
    explain: (error) => (isLockTimeout(error) ? aroseIn(error, 'lease_change_terms') : !isCancelled(error)),
    lost,
  };
}

function observe(observer: TermObserver, { type, object }: StoreEvent): void {
  if (type === 'ADDED') return observer.termBegun?.();
  observer.termEnded?.((JSON.parse(object.data) as { status: { reason: TermEnd } }).status.reason);
}

/** A change of a term as `lease_change_terms` returns it (migrations/functions/terms.sql). */
type TermChanged = [revision: number, path: string, uid: string, data: string, previousRevision: number | null, previous: string | null];

function eventOf([, , , ...columns]: SequelRow): StoreEvent[] {
  if (columns[0] === null) return [];
  const [revision, path, uid, data, earlier, previous] = columns as TermChanged;
  const key = keyOf(TERM_RESOURCE, path);
  const state = (at: number, text: string): StoredObject => ({ key, uid, data: text, terminating: false, revision: at });
  const object = state(revision, data);
  if (earlier === null || previous === null) return [{ type: 'ADDED', revision, object }];
  return [{ type: 'MODIFIED', revision, object, previous: state(earlier, previous) }];
}

/** A change as `lease_change_terms` takes it, with how many revisions before that of the batch's last write its own write's is. */
interface TermChangeArgument {
  readonly ago: number;
  readonly namespace: string;
  readonly lease: string;
  readonly [field: string]: string | number | undefined;
}

/** The changes of terms that the writes of a batch lead to. */
export function termChanges(batch: readonly PendingWrite[]): TermChangeArgument[] {
  return batch.flatMap(({ key, sequel }, at) => (sequel ? [termChangeArgument(key, sequel as TermChange, batch.length - at - 1)] : []));
}

function termChangeArgument({ namespace, name }: ObjectKey, { leaseUid, ended, begun }: TermChange, ago: number): TermChangeArgument {
  return {
    ago,
    namespace,
    lease: name,
    lease_uid: begun && leaseUid,
    reason: ended?.reason,
    held_by: ended && termHolder(ended.holder),
    held_duration: ended?.durationSeconds,
    ...timeArgument('renewed', ended?.renewTime),
    ...timeArgument('expires', ended?.expiresMs === undefined ? undefined : microTime(ended.expiresMs)),
    holder: begun && termHolder(begun.holder),
    duration: begun?.durationSeconds,
    transitions: begun?.transitions,
    labels: termLabels(begun?.labels),
  };
}

/** Of other times, the database finds out whether it can read them, which takes longer. */
function timeArgument(name: 'renewed' | 'expires', time: string | undefined): Readonly<Record<string, string>> {
  if (time === undefined) return {};
  return { [isPlainTime(time) ? `${name}_at` : name]: time };
}

const PLAIN_TIME = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** Whether PostgreSQL can read it, and would write it just so. */
function isPlainTime(time: string): boolean {
  if (!PLAIN_TIME.test(time)) return false;
  // a day that the month does not have is the next month's here
  const ms = Date.parse(time);
  return Number.isFinite(ms) && new Date(ms).toISOString().startsWith(time.slice(0, 19));
}

/** How many revisions a change may take: one for the term that ends, and one for the term that begins. */
const REVISIONS_OF_A_CHANGE = 2;

type Parameters = readonly [revisions: number, segment: number, channel: string, lineage: number, changes: string];

/** Nobody waits for the history: what finds a row locked is tried again later. */
const LONGEST_LOCK_MS = 100;

/**
 * Changes of terms alone, as `lease_change_terms` takes them ($5). $1 the most revisions that they take, $2 segment and $4 lineage of the
 * counter, $3 the channel that is notified.
 *
 * Answers the paths of the terms that were changed. A row without one where none was; no row where the counter was not as expected, and
 * nothing was done.
 *
 * The function reads leases and terms after the counter is locked, with a snapshot of its own: that of the statement is older than the wait.
 */
export const CHANGE_TERMS = sqlStatement<{ path: string | null }, Parameters>(
  'change_terms',
  `
    with counter as (
      update revision_counter c set value = value + $1::bigint
      where segment = $2::integer and lineage = $4::bigint and ${atHome('c')}
      returning value - $1::bigint as base, segment, ${briefLocks(LONGEST_LOCK_MS)}
    ), term as materialized (
      select altered.* from counter cross join lateral lease_change_terms(counter.base, counter.segment, $5::jsonb) altered
    )
    select term.path, case when term.path is not null and $3::text <> '' then pg_notify($3, '') end
    from counter left join term on true`,
);
