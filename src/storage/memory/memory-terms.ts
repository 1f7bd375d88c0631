import { randomUUID } from 'node:crypto';
import { microTime } from '../../apimachinery/go/go-time.js';
import { objectPath } from '../object-path.js';
import type { EventType, ObjectKey, StoredObject } from '../object-store.js';
import type { Announcements } from '../postgres/terms/lapses.js';
import { type TermColumns, termText } from '../postgres/terms/term-reader.js';
import {
  type Announcement,
  type EndedTerm,
  type LapseChange,
  type TermChange,
  type TermEnd,
  TERM_RESOURCE,
  termHolder,
  termLabels,
} from '../term-change.js';

/** An open term, and the state of the object that shows it. */
export interface OpenTerm {
  readonly columns: TermColumns;
  readonly object: StoredObject;
}

/** What a term becomes. The store gives it its revision. */
export interface TermEvent {
  readonly type: Extract<EventType, 'ADDED' | 'MODIFIED'>;
  readonly object: StoredObject;
  readonly previous?: StoredObject;
}

/** Told of a lapse that was not known: its id, and the term as an object. */
type Announce = (id: string, term: string) => void;

const NEWS_MS = 3_600_000;

/**
 * The open terms of a MemoryStore's leases. It does what the function `lease_change_terms` does
 * (migrations/functions/terms.sql).
 */
export class MemoryTerms {
  readonly #now: () => number;
  readonly #announce: Announce;
  #open = new Map<string, OpenTerm>();

  constructor(now: () => number, announce: Announce) {
    this.#now = now;
    this.#announce = announce;
  }

  get open(): ReadonlyMap<string, OpenTerm> {
    return this.#open;
  }

  restore(open: ReadonlyMap<string, OpenTerm>): void {
    this.#open = new Map(open);
  }

  /** Ends and begins the terms of a lease that was written at this revision. `nextRevision` gives each change a revision of its own. */
  change(lease: ObjectKey, change: TermChange, token: number, nextRevision: () => number): TermEvent[] {
    const path = objectPath(lease);
    const events: TermEvent[] = [];
    const open = this.#open.get(path);
    if (change.ended && open) {
      const columns = this.#ended(open, change.ended);
      const object = termObject(columns, open.object.uid, nextRevision());
      this.#open.delete(path);
      events.push({ type: 'MODIFIED', object, previous: open.object });
      if (columns.lapses !== open.columns.lapses) this.#tell(columns, object);
    }
    if (change.begun && !this.#open.has(path)) {
      const { holder, durationSeconds, transitions, labels } = change.begun;
      const columns = {
        ...{ namespace: lease.namespace, lease: lease.name, token, lease_uid: change.leaseUid, holder: termHolder(holder) },
        ...{ began: microTime(this.#now()), until: null, reason: null, renewed: null },
        ...{ duration_seconds: durationSeconds ?? null, transitions: transitions ?? null, labels: termLabels(labels) ?? null },
        ...{ lapsed: null, lapsed_at: null, lapses: null },
      };
      const object = termObject(columns, randomUUID(), nextRevision());
      this.#open.set(path, { columns, object });
      events.push({ type: 'ADDED', object });
    }
    return events;
  }

  /** Marks an open term as lapsed, or as no longer lapsed, if the clock says so too and it is not that already. */
  lapse({ namespace, lease, expires, lapsed }: LapseChange, nextRevision: () => number): TermEvent | undefined {
    const path = `${namespace}/${lease}`;
    const open = this.#open.get(path);
    const isOver = expires !== undefined && Date.parse(expires) <= this.#now();
    if (!open || (open.columns.lapsed ?? false) === lapsed || isOver !== lapsed) return undefined;
    const columns = { ...open.columns, lapsed, ...(lapsed && lapsedFrom(open.columns, Date.parse(expires ?? ''))) };
    const object = termObject(columns, open.object.uid, nextRevision());
    this.#open.set(path, { columns, object });
    if (lapsed) this.#tell(columns, object);
    return { type: 'MODIFIED', object, previous: open.object };
  }

  #ended({ columns }: OpenTerm, { reason, holder, durationSeconds, renewTime, expiresMs }: EndedTerm): TermColumns {
    const now = this.#now();
    const isHolder = columns.holder === termHolder(holder);
    const isOver = expiresMs !== undefined && expiresMs <= now;
    return {
      ...columns,
      duration_seconds: durationSeconds ?? columns.duration_seconds,
      until: microTime(Math.max(now, Date.parse(columns.began))),
      reason: isHolder ? expiredOr(reason, isOver) : 'Unknown',
      renewed: renewTime ?? null,
      ...(isHolder && expiresMs !== undefined && lapseAtEnd(columns, isOver, expiresMs)),
    };
  }

  #tell(columns: TermColumns, { uid, data }: StoredObject): void {
    if (Date.parse(columns.lapsed_at ?? '') > this.#now() - NEWS_MS) this.#announce(`${uid}.${columns.lapses}`, data);
  }
}

/** A holder that is replaced after the end of its time has expired. */
function expiredOr(reason: EndedTerm['reason'], isOver: boolean): TermEnd {
  return isOver && (reason === 'Replaced' || reason === 'HandedOver') ? 'Expired' : reason;
}

/** A term that ends after its holder's time has lapsed, whether or not anybody noticed; one that was renewed late has not any more. */
function lapseAtEnd(columns: TermColumns, isOver: boolean, expiresMs: number): Partial<TermColumns> {
  if (!isOver) return { lapsed: columns.lapsed && false };
  return { lapsed: true, ...(!columns.lapsed && lapsedFrom(columns, expiresMs)) };
}

function lapsedFrom({ began, lapses }: TermColumns, expiresMs: number): Pick<TermColumns, 'lapsed_at' | 'lapses'> {
  return { lapsed_at: microTime(Math.max(expiresMs, Date.parse(began))), lapses: (lapses ?? 0) + 1 };
}

function termObject(columns: TermColumns, uid: string, revision: number): StoredObject {
  const key = { resource: TERM_RESOURCE, namespace: columns.namespace, name: `${columns.lease}.${columns.token}` };
  return { key, uid, data: termText(uid, columns), terminating: false, revision };
}

const MAX_QUEUED = 1_000;

interface Queued {
  readonly term: string;
  due: number;
  attempts: number;
}

/** The lapses that have yet to be announced. There is one server, so a claim only says when the next try is due. */
export class MemoryAnnouncements implements Pick<Announcements, keyof Announcements> {
  readonly #now: () => number;
  readonly #queued = new Map<string, Queued>();

  constructor(now: () => number) {
    this.#now = now;
  }

  add(id: string, term: string): void {
    if (this.#queued.size < MAX_QUEUED && !this.#queued.has(id)) this.#queued.set(id, { term, due: 0, attempts: 0 });
  }

  clear(): void {
    this.#queued.clear();
  }

  prolong(): Promise<void> {
    return Promise.resolve();
  }

  count(): Promise<boolean> {
    return Promise.resolve(this.#queued.size >= MAX_QUEUED);
  }

  claim(limit: number, seconds: number): Promise<Announcement[]> {
    const due = [...this.#queued].filter(([, each]) => each.due <= this.#now()).slice(0, limit);
    const claimed = due.map(([id, each]) => {
      each.due = this.#now() + seconds * 1000;
      each.attempts += 1;
      return { id, term: each.term, attempts: each.attempts };
    });
    return Promise.resolve(claimed);
  }

  done(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#queued.delete(id);
    return Promise.resolve();
  }

  postpone(id: string, delayMs: number): Promise<void> {
    const queued = this.#queued.get(id);
    if (queued) queued.due = this.#now() + delayMs;
    return Promise.resolve();
  }

  dropOld(): Promise<number> {
    return Promise.resolve(0);
  }
}
