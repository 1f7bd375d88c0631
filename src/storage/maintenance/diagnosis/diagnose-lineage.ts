import type { Database } from '../../database/database.js';
import { sqlStatement } from '../../database/statement/statement.js';
import { atHome } from '../../postgres/lineage/lineage-mark.js';
import type { Diagnosis } from './diagnosis.js';

/** Below this, a revision is a count and not a clock reading (docs/decisions/0018-revisions-after-a-change-of-database.md). */
const FIRST_CLOCK = 1e15;

interface LineageFacts {
  readonly value: number;
  readonly home: boolean;
  readonly began: number;
  readonly lineages: number;
  readonly gaps: number;
  readonly started: Date;
  /** Microseconds on the database's clock. */
  readonly clock: number;
  readonly in_recovery: boolean;
}

const DIAGNOSE_LINEAGE = sqlStatement<LineageFacts, readonly []>(
  'diagnose_lineage',
  `
  select counter.value, ${atHome('counter')} as home, counter.server_started as started, pg_is_in_recovery() as in_recovery,
         (extract(epoch from clock_timestamp()) * 1000000)::bigint as clock,
         coalesce((select max(began) from revision_lineage), 0)::bigint as began,
         (select count(*)::int from revision_lineage) as lineages,
         (select count(*)::int from revision_lineage where ended + 1 < began) as gaps
  from revision_counter counter`,
);

/** The current lineage, where revisions are assigned, and whether the next lineage can rely on the clock. */
export async function diagnoseLineage(database: Database): Promise<Diagnosis[]> {
  const [facts] = await database.query(DIAGNOSE_LINEAGE, []);
  return facts ? [history(facts), place(facts), clockOfRevisions(facts)] : [];
}

function history({ began, lineages, gaps }: LineageFacts): Diagnosis {
  const since = began < FIRST_CLOCK ? '' : `, at about ${timeOf(began)}`;
  const detail = lineages === 0 ? 'none yet: the first server starts one' : `began at revision ${began}${since}`;
  return { check: 'lineage', state: 'ok', detail: `${detail}; gaps in the retained history: ${gaps}` };
}

/** A restarted PostgreSQL is not a problem: the detail says what the next server will do. */
function place({ home, started, in_recovery: standby, lineages }: LineageFacts): Diagnosis {
  const check = 'assigning server';
  // Before the first server, the start of its PostgreSQL is -infinity, which is no Date.
  if (lineages === 0) return { check, state: 'ok', detail: 'nothing has been written yet' };
  const start = `the PostgreSQL that was started at ${started.toISOString()}`;
  if (home) return { check, state: 'ok', detail: `revisions are assigned here, by ${start}` };
  if (standby) return { check, state: 'ok', detail: `revisions are assigned elsewhere, by ${start}` };
  return { check, state: 'ok', detail: `last written by ${start}, restarted or replaced since: the next server starts a new lineage` };
}

function clockOfRevisions({ value, clock }: LineageFacts): Diagnosis {
  const check = 'revisions and clock';
  if (value < FIRST_CLOCK) {
    return { check, state: 'ok', detail: `revision ${value} is below every reading of the clock, as in a new database` };
  }
  const aheadS = (value - clock) / 1e6;
  if (aheadS <= 1) return { check, state: 'ok', detail: `revision ${value} is ${Math.round(-aheadS)} s behind the clock` };
  return {
    check,
    state: 'warning',
    detail: `revision ${value} is ${Math.round(aheadS)} s ahead of the clock, because some clock was ahead; until the clock catches up, each new lineage starts 10^9 revisions further on`,
  };
}

function timeOf(revision: number): string {
  return new Date(revision / 1000).toISOString();
}
