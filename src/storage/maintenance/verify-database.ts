import { sql } from 'kysely';
import type pg from 'pg';
import type { Database } from '../database/database.js';
import { type RowOf, runStatement, sqlStatement, statement } from '../database/statement/statement.js';
import { DATABASE_INDEXES, DATABASE_TABLES } from '../database/statement/database-tables.js';
import { TERM_RESOURCE } from '../term-change.js';
import { READ_ALL_OBJECTS } from './backup.js';
import { type ObjectRow, keyOf } from '../postgres/rows/object-row.js';

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

interface Break {
  readonly resource: string;
  readonly path: string;
  readonly revision: number;
  /** What the row says of the state before it, and what the log has there. */
  readonly previous: number | null;
  readonly before: number | null;
}

/**
 * Rows of the log that do not continue the row before them of the same object, at most 20. Where a row repeats the state before it, at the beginning of
 * a segment and in deletions, that has to be the same.
 */
const LIST_BREAKS = sqlStatement<Break, readonly []>(
  'verify_chain',
  `
  select resource, path, revision, previous_revision as previous, before
  from (
    select log.resource, log.path, log.revision, log.kind, log.previous_revision, log.previous, log.data, log.uid,
           lag(case when log.kind <> 'D' then log.revision end) over w as before, lag(log.data) over w as data_before, lag(log.uid) over w as uid_before,
           compaction.revision as compacted
    from revision_log log cross join compaction
    where log.revision > compaction.revision
    window w as (partition by log.resource, log.path order by log.revision)
  ) chained
  where coalesce(previous_revision, 0) <> coalesce(before, case when previous_revision <= compacted then previous_revision end, 0)
     or (before = previous_revision and (case when kind = 'D' then data else coalesce(previous, data_before) end <> data_before
                                         or (kind = 'D' and uid <> uid_before)))
  order by revision limit 20`,
);

/** Whether the counter's lineage, and nothing beyond the counter, is in the list of lineages. */
const READ_LINEAGE = statement('verify_lineage', [], (db) =>
  db
    .selectFrom('revision_counter as counter')
    .select((eb) => [
      eb.ref('counter.lineage').as('lineage'),
      sql<boolean>`exists (select from revision_lineage where id = ${eb.ref('counter.lineage')} and began <= counter.value)`.as('known'),
    ]),
);

/** Of the description, what the schema does not have. */
const LIST_MISSING = sqlStatement<{ relation: string }, readonly [relations: readonly string[]]>(
  'verify_schema',
  `
  select relation from unnest($1::text[]) relation
  except all (
    select c.table_name || '.' || c.column_name from information_schema.columns c where c.table_schema = current_schema()
    union all
    select i.indrelid::regclass::name || case when i.indisunique then ' unique' else '' end
           || substring(pg_get_indexdef(i.indexrelid) from ' [(].*')
    from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace = current_schema()::regnamespace and i.indisvalid
  )
  order by relation`,
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
    const findings = [...(await checkSchema(client)), ...checkHead(head), ...(await checkLineage(client))];
    findings.push(...(await checkTerms(client)), ...(await checkStates(client)));
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

/** Names as the description of the schema has them. */
async function checkSchema(client: pg.ClientBase): Promise<Finding[]> {
  const columns = Object.entries(DATABASE_TABLES).flatMap(([table, types]) => Object.keys(types).map((column) => `${table}.${column}`));
  const missing = await runStatement(client, LIST_MISSING, [[...columns, ...DATABASE_INDEXES]]);
  return missing.map(({ relation }) => ({
    where: relation.split(/[ .]/)[0] ?? '',
    problem: relation.includes(' ')
      ? `it lacks the index${relation.slice(relation.indexOf(' '))}`
      : `it lacks the column ${relation.split('.')[1] ?? ''}`,
  }));
}

async function checkLineage(client: pg.ClientBase): Promise<Finding[]> {
  const [counter] = await runStatement(client, READ_LINEAGE, []);
  if (!counter || counter.lineage === 0 || counter.known) return [];
  return [{ where: 'revision_lineage', problem: "it lacks the counter's lineage" }];
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
  const breaks = await runStatement(client, LIST_BREAKS, []);
  const disagreements = await runStatement(client, LIST_DISAGREEMENTS, []);
  return [
    ...twice.map(({ revision, times }) => ({ where: 'revision_log', problem: `has the revision ${revision} ${times} times` })),
    ...breaks.map(({ resource, path, revision, previous, before }) => ({
      where: `${resource} ${path}`,
      problem: brokenChain(revision, previous, before),
    })),
    ...disagreements.map(({ resource, path, kind, logged, stored }) => ({
      where: `${resource} ${path}`,
      problem: disagreement(kind, logged, stored),
    })),
  ];
}

function brokenChain(revision: number, previous: number | null, before: number | null): string {
  if (previous === before) return `the log has other data before its revision ${revision} than there`;
  if (previous === null) return `the log has no deletion before its revision ${revision}`;
  return `the log lacks a change before its revision ${revision}, which follows ${previous}`;
}

function disagreement(kind: string | null, logged: number, stored: number | null): string {
  if (kind === null) return `the log has no entry for its revision ${String(stored)}`;
  if (kind === 'D') return `it exists, but the log has its deletion at ${logged}`;
  if (stored === null) return `the log has it at revision ${logged}, but it does not exist`;
  return stored === logged ? 'the log has different data' : `the log has it at revision ${logged}, not ${stored}`;
}
