import { goString } from '../../../apimachinery/go/go-string.js';
import type { Database } from '../../database/database.js';
import { type DatabaseTables, DATABASE_TABLES, timestamp } from '../../database/statement/database-tables.js';
import { sqlStatement } from '../../database/statement/statement.js';
import { objectPath } from '../../object-path.js';
import type { KeyRange, ListOptions, ListResult, ObjectKey, StoredObject } from '../../object-store.js';
import { StorageError } from '../../storage-errors.js';
import { TERM_RESOURCE, isNewestFirst, termHolder, tokenOf } from '../../term-change.js';
import { type LineageMark, MARK_COLUMNS } from '../lineage/lineage-mark.js';
import type { LogContext } from '../log/revision-log.repository.js';
import { type SqlRange, behind, sqlRange } from '../read/object.repository.js';
import { type OptionalObjectRow, optionalObjectOf } from '../rows/object-row.js';

const { segment: _segment, path: _path, uid: _uid, created: _created, revision: _revision, ...COLUMNS } = DATABASE_TABLES.lease_term;

type Row = Pick<DatabaseTables['lease_term'], keyof typeof COLUMNS>;

/** The columns that a term's text is made of, its times as the API writes them. */
export type TermColumns = { readonly [Column in keyof Row]: Date extends Row[Column] ? string | Exclude<Row[Column], Date> : Row[Column] };

/** SQL: TermColumns of a row; times as `lease_micro_time` writes them. */
const termColumns = (row: string): string =>
  Object.entries(COLUMNS)
    .map(([column, { name }]) =>
      name === timestamp.name
        ? `to_char(${row}.${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as ${column}`
        : `${row}.${column}`,
    )
    .join(', ');

/**
 * A term as `lease_term_object` composes it (migrations/functions/terms.sql): lists of terms are composed here, and changes of
 * them there.
 */
export function termText(uid: string, term: TermColumns): string {
  const { namespace, lease, token, began, until, reason, renewed, labels, lapsed, lapses } = term;
  const name = goString(`${lease}.${token}`);
  const created = `${began.slice(0, began.lastIndexOf('.'))}Z`;
  return (
    `{"kind":"LeaseTerm","apiVersion":"history.coordination-apiserver.dev/v1","metadata":{"name":${name}` +
    `,"namespace":${goString(namespace)},"uid":"${uid}","creationTimestamp":"${created}"${labels === null ? '' : `,"labels":${labels}`}` +
    `},"spec":{"leaseName":${goString(lease)},"leaseUID":${goString(term.lease_uid)},"holder":${goString(term.holder)}` +
    `,"fencingToken":"${token}","from":"${began}"${number('leaseDurationSeconds', term.duration_seconds)}` +
    `${number('leaseTransitions', term.transitions)}},"status":{"phase":"${until === null ? 'Held' : 'Ended'}"${time('until', until)}` +
    `${reason === null ? '' : `,"reason":"${reason}"`}${time('lastRenewTime', renewed)}${lapsed ? ',"lapsed":true' : ''}` +
    `${time('lapsedAt', term.lapsed_at)}${number('lapses', lapses)}}}`
  );
}

function number(key: string, value: number | null): string {
  return value === null ? '' : `,"${key}":${value}`;
}

function time(key: string, value: string | null): string {
  return value === null ? '' : `,"${key}":"${value}"`;
}

/** A term as statements select it, and up to which revision the log is compacted. Without `data` its columns tell. */
type TermRow = LineageMark & OptionalObjectRow & TermColumns & { readonly compacted: number };

/** The range of paths, the most rows, the lease or holder, which not every statement has ($4), and a token that all are below. */
type Selected = readonly [from: string, to: string, limit: number, equal: string, below: number];
/** The same at a revision ($6); $7 is its segment of the log. */
type SelectedAt = readonly [...selected: Selected, revision: number, segment: number];

/** A page of candidates in their order. There is always a row, so the mark is known. */
const page = (candidates: string, order: string, selected: string, condition = ''): string => `
    select ${MARK_COLUMNS}, compaction.revision as compacted, page.path, page.uid, false as terminating, ${selected}, ${termColumns('page')}
    from compaction cross join revision_counter counter left join lateral (
      select * from (${candidates}) candidate
      where path >= $1 and path < $2 and token < $5 ${condition} order by ${order} limit $3
    ) page on true`;

const present = (candidates: string, order = 'path'): string => `
    ${page(candidates, order, 'page.revision, null::text as data')}
    order by page.${order}`;

/** As they were at a revision: terms that have changed since are in the log as they were before. */
const historical = (candidates: string, order = 'path'): string => `
    ${page(candidates, order, 'coalesce(earlier.previous_revision, page.revision) as revision, earlier.previous as data', 'and created <= $6')}
    left join lateral (
      select l.previous_revision, l.previous from revision_log l
      where page.revision > $6 and l.segment >= $7 and l.resource = '${TERM_RESOURCE}' and l.path = page.path and l.revision > $6
      order by l.revision limit 1
    ) earlier on true
    order by page.${order}`;

/** `$4` is mentioned, since each parameter needs a type. */
const ALL = `select * from lease_term t where $4::text is not null`;
/** `offset 0` keeps the planner from reading the range of paths instead. */
const OPEN = `${ALL} and t.segment = 0`;
const OF_LEASE = `select * from lease_term t where t.lease = $4 offset 0`;
const OF_HOLDER = `select * from lease_term t where t.holder = $4 offset 0`;

/**
 * The first terms of a range of paths: all of them, those that last, those of leases of one name, in the order of paths or the newest first, or
 * those of one holder. SQL, because the plans depend on its exact form.
 */
export const LIST_TERMS = {
  all: sqlStatement<TermRow, Selected>('list_terms', present(ALL)),
  open: sqlStatement<TermRow, Selected>('list_open_terms', present(OPEN)),
  lease: sqlStatement<TermRow, Selected>('list_terms_of_lease', present(OF_LEASE)),
  newest: sqlStatement<TermRow, Selected>('list_newest_terms', present(OF_LEASE, 'token desc')),
  holder: sqlStatement<TermRow, Selected>('list_terms_of_holder', present(OF_HOLDER)),
};

/** The same at an earlier revision. */
export const LIST_HISTORICAL_TERMS = {
  all: sqlStatement<TermRow, SelectedAt>('list_historical_terms', historical(ALL)),
  lease: sqlStatement<TermRow, SelectedAt>('list_historical_terms_of_lease', historical(OF_LEASE)),
  newest: sqlStatement<TermRow, SelectedAt>('list_newest_historical_terms', historical(OF_LEASE, 'token desc')),
  holder: sqlStatement<TermRow, SelectedAt>('list_historical_terms_of_holder', historical(OF_HOLDER)),
};

/** The fewest and the most terms that are read at once where a predicate decides how many of them are wanted. */
const SMALLEST_CHUNK = 200;
const CHUNK = 5_000;

/** What remains to be read: terms of a range of paths and, where the newest come first, with tokens below. */
interface Rest {
  readonly bounds: SqlRange;
  readonly below: number;
  readonly isNewestFirst: boolean;
}

type Equal = NonNullable<ListOptions['equal']>;

interface Selection {
  readonly size: number;
  readonly at: number | undefined;
  readonly equal: Equal;
  readonly flushes: boolean;
}

interface Chunk {
  readonly objects: readonly StoredObject[];
  readonly revision: number;
}

/** Terms as objects. Methods reject with StorageError TooBroad, Compacted, TooLargeRevision, TooManyReads or Unavailable. */
export class TermReader {
  readonly #database: Database;
  readonly #context: LogContext;
  readonly #maxExamined: number;

  /** `maxExamined`: the most terms that one list, or one page, looks at, since history may have more than fit into memory. */
  constructor(database: Database, context: LogContext, maxExamined: number) {
    this.#database = database;
    this.#context = context;
    this.#maxExamined = maxExamined;
  }

  /** At a revision, or the newest one. */
  async get(key: ObjectKey, at?: number): Promise<{ object?: StoredObject; revision: number }> {
    const { objects, revision } = await this.#chunk(wanted(key, {}), 1, at, {});
    return { object: objects[0], revision };
  }

  /** As ListReader, but without the number of remaining objects; and a page may end early. */
  async list(range: KeyRange, options: Omit<ListOptions, 'consistency'>, at?: number): Promise<ListResult> {
    const { predicate, equal = {} } = options;
    const limit = options.limit || Infinity;
    let rest = wanted(range, options);
    let size = Math.min(predicate ? Math.max(2 * limit, SMALLEST_CHUNK) : limit, CHUNK) + 1;
    const objects: StoredObject[] = [];
    let examined = 0;
    let last: ObjectKey | undefined;
    let chunk = await this.#chunk(rest, size, at, equal);
    for (const { revision } = chunk; ; chunk = await this.#chunk(rest, size, revision, equal)) {
      const isLast = chunk.objects.length < size;
      for (const object of chunk.objects) {
        if (objects.length === limit) return { objects, revision, more: true };
        if (examined === this.#maxExamined && limit === Infinity) throw tooBroad(this.#maxExamined);
        if (examined === this.#maxExamined) return { objects, revision, more: true, last };
        if (!predicate || predicate(object)) objects.push(object);
        examined += 1;
        last = object.key;
      }
      if (isLast || !last) return { objects, revision, more: false };
      rest = restAfter(rest, last);
      size = Math.min(2 * size, CHUNK + 1);
    }
  }

  async #chunk(rest: Rest, size: number, at: number | undefined, equal: Equal): Promise<Chunk> {
    const rows = await this.#context.lineage.settledAt(at, (flushes) => this.#query(rest, { size, at, equal, flushes }));
    const objects = rows.flatMap((row) => optionalObjectOf(TERM_RESOURCE, withText(row)) ?? []);
    return { objects, revision: at ?? rows[0]?.newest ?? 0 };
  }

  #query({ bounds: { from, to }, below, isNewestFirst }: Rest, { size, at, equal, flushes }: Selection): Promise<TermRow[]> {
    const { by, value } = lookup(equal);
    const list = isNewestFirst ? 'newest' : by;
    const selected = [from, to, size, value, below] as const;
    if (at === undefined) {
      const isOpen = by === 'all' && equal['status.phase'] === 'Held';
      return this.#database.query(LIST_TERMS[isOpen ? 'open' : list], selected, { purpose: 'history', flushes });
    }
    const values = [...selected, at, this.#context.segments.segmentOf(at)] as const;
    return this.#database.query(LIST_HISTORICAL_TERMS[list], values, { purpose: 'history', flushes });
  }
}

function wanted(range: KeyRange, options: Omit<ListOptions, 'consistency'>): Rest {
  const { start } = options;
  if (!isNewestFirst(options)) return { bounds: sqlRange(range, start), below: tokenOf(), isNewestFirst: false };
  return { bounds: sqlRange(range), below: tokenOf(start), isNewestFirst: true };
}

function restAfter(rest: Rest, last: ObjectKey): Rest {
  return rest.isNewestFirst ? { ...rest, below: tokenOf(last.name) } : { ...rest, bounds: behind(rest.bounds, objectPath(last)) };
}

function lookup({ 'spec.leaseName': lease, 'spec.holder': holder }: Equal) {
  if (lease !== undefined) return { by: 'lease', value: lease.replaceAll('\0', '\ufffd') } as const;
  return holder === undefined ? ({ by: 'all', value: '' } as const) : ({ by: 'holder', value: termHolder(holder) } as const);
}

function withText(row: TermRow): TermRow {
  return row.data !== null || row.uid === null ? row : { ...row, data: termText(row.uid, row) };
}

function tooBroad(most: number): StorageError {
  return new StorageError('TooBroad', `a list looks at ${most} terms at most: ask for pages, or for one lease, holder or namespace`);
}
