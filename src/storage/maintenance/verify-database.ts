import { sql } from 'kysely';
import type pg from 'pg';
import type { Database } from '../database/database.js';
import { runStatement } from '../database/statement/run-statement.js';
import type { RowOf } from '../database/statement/statement.js';
import { sqlStatement, statement } from '../database/statement/statement.js';
import { TERM_RESOURCE } from '../term-change.js';
import { READ_ALL_OBJECTS } from './backup.js';
import type { ObjectRow } from '../postgres/rows/object-row.js';
import { keyOf } from '../postgres/rows/object-row.js';

/** An inconsistency that no server would have written. */
interface Finding {
  /** The object, or the table. */
  readonly where: string;
  readonly problem: string;
}

/** What was compared, and the findings. */
export interface Verified {
  readonly objects: number;
  readonly terms: number;
  readonly states: number;
  readonly changes: number;
  readonly revision: number;
  readonly findings: readonly Finding[];
}

const READ_HEAD = statement('verify_head', [], (db) =>
  db
    .selectFrom('revision_counter as counter')
    .crossJoin('compaction')
    .select([
      'counter.value',
      'compaction.revision as compacted',
      sql<number>`(select count(*)::int from revision_log)`.as('changes'),
      sql<number>`(select count(*)::int from lease_term)`.as('terms'),
      sql<number>`(select count(*)::int from terraform_state where newest > 0)`.as('states'),
    ]),
);
/** Revisions that occur in several rows of the log, at most 20. */
const LIST_TWICE = statement('verify_revisions', [], (db) =>
  db
    .selectFrom('revision_log')
    .select(['revision', sql<number>`count(*)::int`.as('times')])
    .groupBy('revision')
    .having(sql<boolean>`count(*) > 1`)
    .limit(sql.lit(20)),
);

type HeadRow = RowOf<typeof READ_HEAD>;

interface Disagreement {
  readonly resource: string;
  readonly path: string;
  readonly kind: string | null;
  readonly logged: number;
  readonly stored: number | null;
}

/**
 * Paths at which the last change in the log disagrees with the object or term, at most 20. Written in SQL, because Kysely has no full join on
 * `distinct on`.
 */
const LIST_DISAGREEMENTS = sqlStatement<Disagreement, readonly []>(
  'verify_log',
  `
  select coalesce(last.resource, o.resource) as resource, coalesce(last.path, o.path) as path, last.kind::text as kind,
         last.revision as logged, o.revision as stored
  from (select distinct on (log.resource, log.path) log.resource, log.path, log.kind, log.revision, log.data
        from revision_log log cross join compaction
        where log.revision > compaction.revision order by log.resource, log.path, log.revision desc) last
  full join (
    select resource, path, revision, data from objects
    union all
    select '${TERM_RESOURCE}', t.path, t.revision, lease_term_object(t)
    from lease_term t cross join compaction where t.revision > compaction.revision
  ) o on o.resource = last.resource and o.path = last.path
  where case when last.path is null then o.revision > (select revision from compaction)
             when last.kind = 'D' then o.path is not null
             else o.path is null or o.revision <> last.revision or o.data <> last.data end
  limit 20`,
);

/** Terms that contradict the counter or are inconsistent in themselves, at most 20. */
const LIST_WRONG_TERMS = sqlStatement<{ path: string; problem: string }, readonly []>(
  'verify_terms',
  `
  select t.path, case when t.revision > c.value then 'its revision ' || t.revision || ' is above the counter''s ' || c.value
                      when t.until < t.began then 'it ended before it began'
                      else 'its token is above its revision' end as problem
  from lease_term t cross join revision_counter c
  where t.revision > c.value or t.until < t.began or t.token > t.revision
  order by t.path limit 20`,
);

/** States whose versions contradict them, at most 20. */
const LIST_WRONG_STATES = sqlStatement<{ path: string }, readonly []>(
  'verify_states',
  `
  select s.path from terraform_state s
  left join (
    select path, max(version) as newest, sum(bytes) as bytes, bool_and(bytes = octet_length(data)) as sizes_agree
    from terraform_state_version group by path
  ) v on v.path = s.path
  where s.newest <> coalesce(v.newest, 0) or s.bytes <> coalesce(v.bytes, 0) or not coalesce(v.sizes_agree, true)
  order by s.path limit 20`,
);

const NOTHING_TO_VERIFY: Verified = {
  ...{ objects: 0, terms: 0, states: 0, changes: 0, revision: 0 },
  findings: [{ where: 'revision_counter', problem: 'is empty' }],
};

/** Compares objects, terms, states, log and counters in one snapshot. Reads all objects into memory, so it is not meant for busy hours. */
export function verifyDatabase(database: Database, onProgress?: (done: number, of: number) => void): Promise<Verified> {
  return database.inSnapshot(async (client) => {
    await client.query("set local statement_timeout = '10min'");
    const [head] = await runStatement(client, READ_HEAD, []);
    if (!head) return NOTHING_TO_VERIFY;
    const rows = await runStatement(client, READ_ALL_OBJECTS, []);
    const findings = [...checkHead(head), ...(await checkTerms(client)), ...(await checkStates(client))];
    rows.forEach((row, at) => {
      findings.push(...checkObject(row, head.value));
      if (at % 1000 === 0) onProgress?.(at, rows.length);
    });
    findings.push(...(await checkLog(client)));
    return { objects: rows.length, terms: head.terms, states: head.states, changes: head.changes, revision: head.value, findings };
  });
}

function checkHead({ value, compacted }: HeadRow): Finding[] {
  return compacted > value ? [{ where: 'compaction', problem: `its revision ${compacted} is above the counter's ${value}` }] : [];
}

async function checkTerms(client: pg.ClientBase): Promise<Finding[]> {
  const rows = await runStatement(client, LIST_WRONG_TERMS, []);
  return rows.map(({ path, problem }) => ({ where: `${TERM_RESOURCE} ${path}`, problem }));
}

async function checkStates(client: pg.ClientBase): Promise<Finding[]> {
  const rows = await runStatement(client, LIST_WRONG_STATES, []);
  return rows.map(({ path }) => ({ where: `state ${path}`, problem: 'its versions do not add up to it' }));
}

interface StoredMetadata {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly deletionTimestamp?: string;
}

function checkObject(row: ObjectRow & { resource: string }, newest: number): Finding[] {
  const { resource, path, uid, revision, terminating, data } = row;
  const where = `${resource} ${path}`;
  const finding = (problem: string): Finding => ({ where, problem });
  let metadata: StoredMetadata | undefined;
  try {
    ({ metadata } = JSON.parse(data) as { metadata?: StoredMetadata });
  } catch {
    return [finding('its data is not JSON')];
  }
  const { namespace, name } = keyOf(resource, path);
  const wrong: Finding[] = [];
  if (revision > newest) wrong.push(finding(`its revision ${revision} is above the counter's ${newest}`));
  if (metadata?.name !== name || (metadata.namespace ?? '') !== namespace) wrong.push(finding('its data has another name'));
  if (metadata?.uid !== uid) wrong.push(finding('its data has another uid'));
  if ((metadata?.deletionTimestamp !== undefined) !== terminating) wrong.push(finding('its data disagrees on whether it is being deleted'));
  return wrong;
}

async function checkLog(client: pg.ClientBase): Promise<Finding[]> {
  const twice = await runStatement(client, LIST_TWICE, []);
  const disagreements = await runStatement(client, LIST_DISAGREEMENTS, []);
  return [
    ...twice.map(({ revision, times }) => ({ where: 'revision_log', problem: `has the revision ${revision} ${times} times` })),
    ...disagreements.map(({ resource, path, kind, logged, stored }) => ({
      where: `${resource} ${path}`,
      problem: disagreement(kind, logged, stored),
    })),
  ];
}

function disagreement(kind: string | null, logged: number, stored: number | null): string {
  if (kind === null) return `the log has no entry for its revision ${String(stored)}`;
  if (kind === 'D') return `it exists, but the log has its deletion at ${logged}`;
  if (stored === null) return `the log has it at revision ${logged}, but it does not exist`;
  return stored === logged ? 'the log has different data' : `the log has it at revision ${logged}, not ${stored}`;
}
