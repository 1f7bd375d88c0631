import type { Database } from '../../database/database.js';
import { type Scheduler, sleep } from '../../../time/scheduler.js';
import { termHolder, termLabels } from '../../term-change.js';
import { keyOf } from '../rows/object-row.js';
import { type ComparedLease, type ComparedRow, COMPARE_TERMS, LIST_ORPHANED_TERMS } from './compare-terms.js';
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
