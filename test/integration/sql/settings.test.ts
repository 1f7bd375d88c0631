import { beforeAll, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { openFixture } from '../storage/postgres-fixture.js';
import { LeaseClient } from './lease-client.js';

/*
 * What the procedures, functions and views answer and store is the same whatever a session has set.
 */
const SETTINGS: readonly string[] = [
  ...['Asia/Tokyo', '-5', '<UTC>+5', 'America/St_Johns'].map((zone) => `timezone = '${zone}'`),
  ...['SQL, DMY', 'Postgres, MDY', 'German', 'ISO, YMD'].map((style) => `datestyle = '${style}'`),
  ...['iso_8601', 'sql_standard', 'postgres_verbose'].map((style) => `intervalstyle = ${style}`),
  ...['India', 'Australia'].map((names) => `timezone_abbreviations = '${names}'`),
  ...['on', 'off', 'local', 'remote_write', 'remote_apply'].map((level) => `synchronous_commit = ${level}`),
  ...['serializable', 'repeatable read'].map((level) => `default_transaction_isolation = '${level}'`),
  ...['', 'pg_temp', 'public, pg_catalog', 'coordination', '"$user"'].map((path) => `search_path = ${path === '' ? "''" : path}`),
  ...['debug5', 'error'].map((level) => `client_min_messages = ${level}`),
  ...['force_custom_plan', 'force_generic_plan'].map((mode) => `plan_cache_mode = ${mode}`),
  ...[
    'seqscan',
    'indexscan',
    'indexonlyscan',
    'bitmapscan',
    'tidscan',
    'nestloop',
    'hashjoin',
    'mergejoin',
    'sort',
    'hashagg',
    'material',
    'partition_pruning',
  ].map((kind) => `enable_${kind} = off`),
  'default_transaction_deferrable = on',
  'standard_conforming_strings = off',
  'backslash_quote = off',
  'escape_string_warning = off',
  'quote_all_identifiers = on',
  'transform_null_equals = on',
  'array_nulls = off',
  'extra_float_digits = -15',
  'bytea_output = escape',
  'xmloption = document',
  'xmlbinary = hex',
  "lc_numeric = 'C'",
  "lc_time = 'C'",
  "lc_monetary = 'C'",
  'row_security = off',
  'check_function_bodies = off',
  'jit = on; set jit_above_cost = 0',
  "work_mem = '64kB'",
  'from_collapse_limit = 1; set join_collapse_limit = 1',
  'geqo_threshold = 2',
  'cursor_tuple_fraction = 1',
  'parallel_setup_cost = 0; set parallel_tuple_cost = 0; set min_parallel_table_scan_size = 0',
  'constraint_exclusion = on',
  'lock_timeout = 1000',
  'statement_timeout = 10000',
  "plpgsql.extra_warnings = 'all'",
  'plpgsql.print_strict_params = on',
  'plpgsql.check_asserts = off',
  'max_parallel_workers_per_gather = 0',
];

const fixture = forAllTests(() => openFixture(1));
let leases = 0;
beforeAll(() => fixture.client.query(`call coordination.lease_create_namespace('default')`));

/** Revisions, times, uids and names in the order of their first mention. */
function comparable(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll(/"[^"]*-lease(\/[^"]*)?"|lease-\d+/g, 'lease')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'uid')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => `time of ${time.length}`)
    .replaceAll(/\b\d{4,}\b/g, 'n');
}

/** Each of what a session may call, on a lease of its own. */
async function everything(setting?: string): Promise<string> {
  const name = `lease-${leases++}`;
  await using client = await LeaseClient.connect(fixture.url);
  if (setting) await client.session.query(`set ${setting}`);
  const answers: unknown[] = [];
  const { token } = await client.acquire(name, 'one <&> \u2028', '15s');
  const told = (rows: object[]) => rows.map((row) => Object.keys(row).sort());
  const facts = await client.rows<object>(
    `select holder, held, transitions, token, extract(epoch from expires - renewed)::integer as lasts, abs(extract(epoch from renewed - now())) < 5 as is_now
     from coordination.lease_get('default', $1)`,
    [name],
  );
  answers.push(facts);
  answers.push((await client.acquire(name, 'two', '2s')).acquired, (await client.acquireSeen(name, 'two', '2s', null, 0)).acquired);
  answers.push((await client.renew(name, 'one <&> \u2028', token)).renewed, (await client.renew(name, 'two')).renewed);
  answers.push(
    await client.rows(
      `select holder, held, duration_seconds, transitions, abs(extract(epoch from renewed - now())) < 5 as is_now,
              extract(epoch from expires - renewed)::integer as lasts, strategy, labels from coordination.leases where name = $1`,
      [name],
    ),
  );
  await client.session.query(`create temp table fenced (n integer, token bigint);
    create trigger fence before insert on fenced for each row execute function coordination.fence('default/${name}')`);
  await client.session.query('begin isolation level read committed');
  await client.session.query(`select coordination.lease_assert('default', $1, $2)`, [name, token]);
  await client.session.query('insert into fenced values (1, $1)', [token]);
  await client.session.query('commit; begin isolation level read committed');
  answers.push(await client.session.query('insert into fenced values (1, 1)').catch((error: { code: string }) => error.code));
  await client.session.query('rollback');
  answers.push((await client.release(name, 'one <&> \u2028', token)).released);
  answers.push(
    told(await client.rows('select * from coordination.lease_terms where lease = $1', [name])),
    await client.rows(
      'select reason, holder, duration_seconds, lapsed, abs(extract(epoch from until - now())) < 5 as is_now from coordination.lease_terms where lease = $1',
      [name],
    ),
  );
  const stored = await fixture.rows<object>(
    `select kind::text, data, previous from revision_log where path = $1 or path like $1 || '.%' order by revision`,
    [`default/${name}`],
  );
  return comparable([answers, stored]);
}

let expected: string;
beforeAll(async () => {
  expected = await everything();
});

test.each(SETTINGS)('with %s', async (setting) => {
  const known = setting.split(/[ =]/, 1)[0]!;
  const { rowCount } = await fixture.client.query('select from pg_settings where name = $1 and context in ($2, $3)', [
    known,
    'user',
    'superuser',
  ]);
  if (rowCount === 0 && !known.startsWith('plpgsql.')) return;
  expect(await everything(setting)).toBe(expected);
});

test('what contenders have seen is noted alike by all of them', async () => {
  await using holder = await LeaseClient.connect(fixture.url);
  await holder.acquire('seen', 'one', '600s');
  const runs = new Set<string>();
  for (const setting of SETTINGS.filter((each) => !each.startsWith('lc_'))) {
    await using client = await LeaseClient.connect(fixture.url);
    if (
      await client.session.query(`set ${setting}`).then(
        () => false,
        () => true,
      )
    ) {
      continue;
    }
    await fixture.client.query('delete from lease_seen');
    expect((await client.acquire('seen', 'two')).acquired).toBe(false);
    for (const { run } of await fixture.rows<{ run: string }>('select run from lease_seen')) runs.add(run);
  }
  expect([...runs]).toHaveLength(1);
});
