import { type Scheduler, sleep } from '../../../time/scheduler.js';
import type { Database } from '../../database/database.js';
import { DATABASE_TABLES } from '../../database/statement/database-tables.js';
import { sqlStatement } from '../../database/statement/statement.js';
import { LEASE_RESOURCE, termHolder, termLabels } from '../../term-change.js';
import { keyOf } from '../rows/object-row.js';
import type { TermCorrection, TermWriter } from './term-writer.js';

/** Leases compared in one statement while they agree. */
const PAGE = 1_000;
/** Terms changed in one, and leases compared where many disagree: writes of leases wait meanwhile, and may be ahead of what was compared. */
const CHANGES = 300;
/** The rest after a page that agrees, in multiples of the time that the page took: writes need the database more than a comparison does. */
const REST = 9;
/** The same after a change: until the last, terms are wrong. */
const REST_AFTER_CHANGES = 1 / 4;
/** A stop of the server waits for a rest. A comparison rests this long after a page that another process has just corrected. */
const LONGEST_REST_MS = 500;

/** The fields of a stored lease that its term has. */
interface StoredLease {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: { readonly holderIdentity?: string; readonly leaseDurationSeconds?: number; readonly leaseTransitions?: number };
}

/**
 * Compares all leases with the open terms, and corrects the terms. They agree unless leases were written without terms: before the upgrade
 * that brought them, by a server of an earlier version, or from a backup of one. A term that is found to have ended ended at an unknown
 * time; one that is found to have begun has the lease's present revision as its token. Answers the number of corrections.
 */
export class TermComparison {
  readonly #database: Database;
  readonly #writer: TermWriter;
  readonly #scheduler: Scheduler;

  constructor(database: Database, writer: TermWriter, scheduler: Scheduler) {
    this.#database = database;
    this.#writer = writer;
    this.#scheduler = scheduler;
  }

  async run(isStopped: () => boolean = () => false): Promise<number> {
    return (await this.#correctLeases(isStopped)) + (await this.#endOrphans(isStopped));
  }

  async #correctLeases(isStopped: () => boolean): Promise<number> {
    let corrected = 0;
    for (let after: string | undefined = '', page = PAGE; after !== undefined && !isStopped();) {
      const began = this.#scheduler.now();
      const rows: ComparedRow[] = await this.#database.query(COMPARE_TERMS, [after, page]);
      const corrections = rows.flatMap((row) => (row.path === null ? [] : (correctionOf(row) ?? [])));
      let isElsewhere = false;
      if (corrections.length <= CHANGES) {
        const changed = (await this.#writer.change(corrections)).length;
        // another process has corrected the same: one is enough
        isElsewhere = changed === 0 && corrections.length === CHANGES;
        corrected += changed;
        after = rows[0]?.last;
      }
      page = corrections.length > 0 ? CHANGES : PAGE;
      const rest = (corrections.length > 0 ? REST_AFTER_CHANGES : REST) * (this.#scheduler.now() - began);
      await sleep(this.#scheduler, isElsewhere ? LONGEST_REST_MS : Math.min(rest, LONGEST_REST_MS));
    }
    return corrected;
  }

  async #endOrphans(isStopped: () => boolean): Promise<number> {
    let corrected = 0;
    while (!isStopped()) {
      const orphans = await this.#database.query(LIST_ORPHANED_TERMS, [CHANGES]);
      const ended = await this.#writer.change(
        orphans.map(({ namespace, lease, holder, token }) => ({
          ...{ namespace, lease, lease_revision: 0 },
          ...{ reason: 'Unknown', held_by: holder, ends: token },
        })),
      );
      corrected += ended.length;
      // those that remain were corrected by somebody else meanwhile, or will be next time
      if (orphans.length < CHANGES || ended.length === 0) break;
    }
    return corrected;
  }
}

/** Undefined where lease and term agree. */
function correctionOf({ path, uid, revision, data, holder, token, term_uid: termUid }: ComparedLease): TermCorrection | undefined {
  const { metadata, spec = {} } = JSON.parse(data) as StoredLease;
  const holds = termHolder(spec.holderIdentity ?? '');
  if (holds === (holder ?? '') && (holder === null || termUid === uid)) return undefined;
  const { namespace, name: lease } = keyOf('', path);
  return {
    ...{ namespace, lease, lease_uid: uid, lease_revision: revision },
    ...(token !== null && holder !== null && { reason: 'Unknown', held_by: holder, ends: token }),
    ...(holds !== '' && {
      holder: holds,
      token: revision,
      duration: spec.leaseDurationSeconds,
      transitions: spec.leaseTransitions,
      labels: termLabels(metadata.labels),
    }),
  };
}

/** A lease, and the open term that the history has of it. */
interface ComparedLease {
  readonly path: string;
  readonly uid: string;
  readonly revision: number;
  readonly data: string;
  readonly holder: string | null;
  readonly token: number | null;
  readonly term_uid: string | null;
}

/** A row of a page that ends with the path `last`; without a lease where all of the page agree. */
export type ComparedRow = { readonly last: string } & (ComparedLease | { readonly [Column in keyof ComparedLease]: null });

/** The leases that may disagree with their terms, of the page after a path ($1); $2 the most leases of a page. No row at the end. */
export const COMPARE_TERMS = sqlStatement<ComparedRow, readonly [after: string, limit: number]>(
  'compare_terms',
  'select * from lease_compare_terms($1, $2)',
);

/** An open term whose lease does not exist. */
export interface OrphanedTerm {
  readonly namespace: string;
  readonly lease: string;
  readonly holder: string;
  readonly token: number;
}

/** The first $1 open terms whose leases do not exist. */
export const LIST_ORPHANED_TERMS = sqlStatement<OrphanedTerm, readonly [limit: number]>(
  'list_orphaned_terms',
  `
    select t.namespace, t.lease, t.holder, t.token from lease_term t
    where t.segment = 0
      and not exists (select from objects o where o.resource = '${LEASE_RESOURCE}' and o.path = t.namespace || '/' || t.lease)
    order by t.namespace, t.lease limit $1`,
);

/** Copied are all columns but the segment and what is generated. */
const { segment: _segment, path: _path, ...COPIED } = DATABASE_TABLES.lease_term;
const NAMES = Object.keys(COPIED).join(', ');
const COLUMNS = Object.entries(COPIED)
  .map(([column, { name }]) => `${column} ${name}`)
  .join(', ');

/** A term as a copy of its row: its columns by their names, times as PostgreSQL writes them. */
export interface CopiedTerm {
  readonly namespace: string;
  readonly lease: string;
  readonly [column: string]: string | number | boolean | null;
}

export const COPY_OPEN_TERMS = sqlStatement<{ term: CopiedTerm }, readonly []>(
  'copy_open_terms',
  `select to_jsonb(t) as term from (select ${NAMES} from lease_term where segment = 0) t order by namespace, lease`,
);

/** A page of the terms that had ended by a revision ($1), after a path ($2); $3 the most terms. They do not change any more. */
export const COPY_ENDED_TERMS = sqlStatement<{ term: CopiedTerm; path: string }, readonly [revision: number, after: string, limit: number]>(
  'copy_ended_terms',
  `
    select to_jsonb(t) - 'path' as term, path
    from (select path, ${NAMES} from lease_term where segment > 0 and revision <= $1 and path > $2 order by path limit $3) t`,
);

/** Adds copied terms ($1, a JSON array): open ones, and those that have ended to the newest segment. */
export const ADD_TERMS = sqlStatement<never, readonly [terms: string]>(
  'add_terms',
  `
    with segment as (select max(segment) as newest from lease_term_segment), added as (
      insert into lease_term (segment, ${NAMES})
      select case when t.until is null then 0 else segment.newest end, t.*
      from segment cross join jsonb_to_recordset($1::jsonb) as t(${COLUMNS})
      returning segment
    )
    update lease_term_segment s set terms = s.terms + (select count(*) from added where added.segment > 0)
    from segment where s.segment = segment.newest`,
);
