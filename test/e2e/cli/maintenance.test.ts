import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from '@jest/globals';
import { connected, rowsOf } from '../../support/connected.js';
import { forAllTests } from '../../support/for-tests.js';
import { testNeeding } from '../../support/database-needs.js';
import { type Answer, ask } from '../../support/http-client.js';
import { startServerProcess } from '../../support/server-process.js';
import { POOLER_VARIABLE, storeUrl } from '../../support/store-url.js';
import { createEmptyDatabase, createTestDatabase } from '../../support/test-database.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { cleanEnvironment } from '../../support/clean-environment.js';
import { PROGRAM } from '../../support/program-under-test.js';
import { ServerRun } from '../lifecycle/server-run.js';
import { failureOf, runCommand } from './run-command.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const TERMS = '/apis/history.coordination-apiserver.dev/v1/namespaces/default/leaseterms';
/** Without the resource version, which a restore changes. */
const termsOf = ({ json }: Answer) =>
  (json.items ?? []).map(({ spec, status, metadata }) => ({ spec, status, metadata: { name: metadata?.name } }));
const STATE = `${LEASES}/stated/state`;
const stateOf = (serial: number): string => `{"serial":  ${serial}, "text": "a \\"quote\\", \\u0000 and \\ud800"}\n`;
const scratch = scratchDirectory();

/** One has characters at which some programs end a line. */
const HOLDERS: Readonly<Record<string, string>> = { one: 'x', two: 'x', three: 'x\u2028y\u2029z\u0085' };

const server = forAllTests(() => startServerProcess());
const other = forAllTests(() => createEmptyDatabase());
beforeAll(async () => {
  for (const name of Object.keys(HOLDERS)) {
    await ask(`${server.url}${LEASES}`, { method: 'POST', body: { metadata: { name }, spec: { holderIdentity: HOLDERS[name] } } });
  }
  await ask(`${server.url}${LEASES}/two`, { method: 'DELETE' });
  for (const serial of [1, 2]) await ask(`${server.url}${STATE}`, { method: 'POST', body: stateOf(serial) });
});

const on = (): string[] => ['--database-url', server.databaseUrl];
const backup = path.join(scratch, 'leases.backup.gz');

test('doctor passes a healthy server and reports what makes a database unusable', async () => {
  const { code, stdout } = await runCommand(['doctor', '-o', 'json', ...on(), '--data-dir', server.dataDir]);
  const checks = JSON.parse(stdout) as { check: string; state: string }[];
  expect(checks.map(({ check }) => check)).toEqual(
    expect.arrayContaining(['rights', 'durability', 'migrations', 'revision log', 'certificate ca']),
  );
  const wrong = checks.filter(({ state }) => state === 'problem').map(({ check }) => check);
  // Tests may run on a PostgreSQL that is not durable.
  expect(wrong.filter((check) => check !== 'durability')).toEqual([]);
  expect(code).toBe(wrong.length > 0 ? 2 : 0);
  expect(await failureOf(['doctor', '--database-url', 'postgresql://u:p@127.0.0.1:1/d'])).toMatch(/^error: cannot reach the database/);
  expect(await failureOf(['doctor', '--data-dir', path.join(scratch, 'none')])).toMatch(/^error: no database in .*: pass --data-dir/);
});

test('doctor shows the lineage of revisions and warns of a counter that is ahead of the clock', async () => {
  const look = async (...database: string[]) => {
    const { stdout } = await runCommand(['doctor', '-o', 'json', ...database, '--data-dir', server.dataDir]);
    const all = JSON.parse(stdout) as { check: string; state: string; detail: string }[];
    return (check: string) => all.find((each) => each.check === check);
  };
  const young = await look(...on());
  expect(young('lineage')).toMatchObject({
    state: 'ok',
    detail: expect.stringMatching(/^began at revision 1000; gaps in the retained history: 0$/),
  });
  expect(young('assigning server')).toMatchObject({
    state: 'ok',
    detail: expect.stringMatching(/^revisions are assigned here, by the PostgreSQL/),
  });
  expect(young('revisions and clock')).toMatchObject({ state: 'ok' });
  expect(young('clocks')).toMatchObject({ state: 'ok' });

  // as left by a clock that was an hour ahead, on a PostgreSQL that has restarted since
  await using alone = await createTestDatabase();
  await using client = await connected(alone.url);
  const began = (Date.now() + 3_600_000) * 1000;
  await client.query('insert into revision_lineage (id, ended, began) values (1, 1000, 1000), (2, 1005, $1)', [began]);
  await client.query(`update revision_counter set lineage = 2, value = $1, server_started = now() - interval '1 day'`, [began]);
  await client.query('grant create on schema coordination to public');
  const ahead = await look('--database-url', alone.url);
  expect(ahead('rights')).toMatchObject({
    state: 'warning',
    detail: expect.stringContaining('what everybody may create in the schema coordination'),
  });
  expect(ahead('lineage')).toMatchObject({
    detail: expect.stringMatching(new RegExp(`^began at revision ${began}, at about .*; gaps in the retained history: 1$`)),
  });
  expect(ahead('assigning server')?.detail).toContain('restarted or replaced since');
  expect(ahead('revisions and clock')).toMatchObject({
    state: 'warning',
    detail: expect.stringMatching(/ is 3[56]\d\d s ahead of the clock/),
  });
});

test('verify accepts what servers wrote and finds what no server writes', async () => {
  const good = await runCommand(['verify', ...on()]);
  expect([good.code, good.stdout]).toEqual([
    0,
    expect.stringMatching(/^OBJECTS +TERMS +STATES +CHANGES +REVISION +FINDINGS\n\d+ +\d+ +1 +\d+ +\d+ +0\n$/),
  ]);
  const client = await connected(server.databaseUrl);
  await client.query('update objects set data = replace(data, \'"name":"one"\', \'"name":"uno"\') where path = \'default/one\'');
  await client.query('update coordination_tables.terraform_state set newest = newest + 1');
  const bad = await runCommand(['verify', '-o', 'json', ...on()]);
  await client.query('update coordination_tables.terraform_state set newest = newest - 1');
  await client.query('update objects set data = replace(data, \'"name":"uno"\', \'"name":"one"\') where path = \'default/one\'');
  await client.end();
  const { findings } = JSON.parse(bad.stdout) as { findings: { where: string; problem: string }[] };
  expect(findings).toEqual([
    { where: 'state default/stated', problem: 'its versions do not add up to it' },
    { where: 'leases.coordination.k8s.io default/one', problem: 'its data has another name' },
    { where: 'leases.coordination.k8s.io default/one', problem: 'the log has different data' },
  ]);
  expect([bad.code, bad.stderr]).toEqual([2, 'error: 3 inconsistencies: keep a copy of the database, and restore a backup\n']);
});

test('verify finds what was damaged by hand in log, lineage and schema', async () => {
  let { json: lease } = await ask(`${server.url}${LEASES}`, { method: 'POST', body: { metadata: { name: 'chained' } } });
  for (const holderIdentity of ['a', 'b']) {
    ({ json: lease } = await ask(`${server.url}${LEASES}/chained`, { method: 'PUT', body: { ...lease, spec: { holderIdentity } } }));
  }
  const client = await connected(server.databaseUrl);
  const log = `from revision_log where resource like 'leases.%' and path`;
  const revisions = await client.query<{ revision: string }>(`select revision ${log} = 'default/chained' order by revision`);
  const [first = '', second = '', third = ''] = revisions.rows.map(({ revision }) => revision);
  const { rows: lineages } = await client.query<{ id: string; ended: string; began: string }>('select * from revision_lineage');
  const { rows: deletions } = await client.query<{ revision: string }>(`select revision ${log} = 'default/two' and kind = 'D'`);
  await client.query(`
    create table damaged as select * from revision_log where revision = ${second};
    delete from revision_log where revision = ${second};
    update revision_log set data = replace(data, '"holderIdentity":"x"', '"holderIdentity":"y"') where path = 'default/two' and kind = 'A';
    alter table server_state drop constraint server_state_pkey;
    delete from revision_lineage`);
  const bad = await runCommand(['verify', '-o', 'json', ...on()]);
  await client.query(`
    insert into revision_log select * from damaged;
    drop table damaged;
    update revision_log set data = replace(data, '"holderIdentity":"y"', '"holderIdentity":"x"') where path = 'default/two' and kind = 'A';
    alter table server_state add primary key (name)`);
  for (const { id, ended, began } of lineages) await client.query('insert into revision_lineage values ($1, $2, $3)', [id, ended, began]);
  await client.end();
  expect((JSON.parse(bad.stdout) as { findings: unknown }).findings).toEqual([
    { where: 'server_state', problem: 'it lacks the index unique (name)' },
    { where: 'revision_lineage', problem: "it lacks the counter's lineage" },
    {
      where: 'leases.coordination.k8s.io default/two',
      problem: `the log has other data before its revision ${deletions[0]?.revision} than there`,
    },
    {
      where: 'leases.coordination.k8s.io default/chained',
      problem: `the log lacks a change before its revision ${third}, which follows ${second}`,
    },
  ]);
  expect(Number(first)).toBeLessThan(Number(second));
  expect((await runCommand(['verify', ...on()])).code).toBe(0);
});

test('verify says in a sentence that a database is empty, or that the role lacks the right to it', async () => {
  expect(await failureOf(['verify', '--database-url', other.url])).toMatch(
    /^error: the database has no tables of this server: run ".* migrate up"/,
  );
  await using client = await connected(server.databaseUrl);
  await client.query(`create role reads_nothing login password 'x'`);
  try {
    const given = server.databaseUrl.replace(/\/\/[^@]*@/, '//reads_nothing:x@');
    expect(await failureOf(['verify', '--database-schema=coordination', '--database-url', given])).toMatch(
      /^error: the role reads_nothing has no right to use the schema coordination and coordination_tables: grant usage on schema coordination, coordination_tables to reads_nothing; grant select on all tables in schema coordination_tables/,
    );
  } finally {
    await client.query('drop role reads_nothing');
  }
});

test('a backup is restored into another database, where revisions continue far above and writes work', async () => {
  const written = await runCommand(['backup', backup, ...on()]);
  expect([written.code, written.stderr]).toEqual([
    0,
    expect.stringMatching(/^\d+ objects, \d+ terms and 2 versions of states at revision \d+\n$/),
  ]);
  const text = gunzipSync(readFileSync(backup)).toString();
  expect(text).toContain('"path":"default/one"');
  expect(text).not.toContain('"path":"default/two"');

  // as the user of the server that starts on it below, but not through a pooler, of which each command would warn
  const into = ['--database-url', process.env[POOLER_VARIABLE] ? other.url : storeUrl(other.url)];
  expect(await failureOf(['restore', backup, ...into])).toMatch(
    /^error: the database has no tables of this server: run ".* migrate up" first/,
  );
  await runCommand(['migrate', 'up', ...into]);
  const restored = await runCommand(['restore', backup, ...into]);
  expect([restored.code, restored.stderr]).toEqual([0, expect.stringMatching(/revisions continue at \d{16}\n$/)]);
  expect(await failureOf(['restore', backup, ...into])).toMatch(
    /^error: the database has \d+ objects, \d+ terms and 1 states: use an empty one, or pass --replace/,
  );
  const copy = await connected(other.url);
  await copy.query(`insert into coordination_tables.lease_announcement (id, term, made, due) values ('replaced.1', '{}', now(), now())`);
  const refused = await failureOf(['restore', backup, '--replace', ...into]);
  const [, name = ''] = /: pass --yes=(\S+) to confirm$/.exec(refused) ?? [];
  expect(refused).toMatch(
    /^error: this would replace \d+ objects, \d+ terms and 1 states \(written last: [\w.]+ \S+ at 20\S+Z\) in the database \w+ at \S+, schema coordination: pass --yes=/,
  );
  expect(name).toMatch(new RegExp(`^${new URL(other.url).pathname.slice(1)}@`));
  expect(await failureOf(['restore', backup, '--replace', '--yes=other@host', ...into])).toMatch(
    /^error: --yes names other@host, but this would replace \d+ objects.*, which is /,
  );
  const typed = (answer: string) => {
    const line = `'${process.execPath}' '${PROGRAM}' restore '${backup}' --replace ${into[0]} '${into[1]}'`;
    return spawnSync('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
      input: answer,
      encoding: 'utf8',
      env: cleanEnvironment(),
    });
  };
  for (const answer of ['other@host\n', 'y\n', '\n']) {
    const { status, stdout } = typed(answer);
    expect([status, stdout]).toEqual([
      1,
      expect.stringMatching(/This replaces \d+ objects, [^]*Type \S+ to go on: [^]*error: nothing was replaced/),
    ]);
  }
  expect((await copy.query('select id from coordination_tables.lease_announcement')).rows).toHaveLength(1);
  expect(typed(`${name}\n`).status).toBe(0);
  expect((await copy.query('select id from coordination_tables.lease_announcement')).rows).toEqual([]);
  const replaced = await runCommand(['restore', backup, '--replace', `--yes=${name}`, ...into]);
  expect([replaced.code, replaced.stderr]).toEqual([0, expect.stringMatching(/^replacing \d+ objects, .* in the database /)]);
  expect((await copy.query('select id from coordination_tables.lease_announcement')).rows).toEqual([]);
  await copy.end();

  const revived = await startServerProcess({ databaseUrl: other.url });
  expect((await ask(`${revived.url}${TERMS}`)).json).toMatchObject({ items: termsOf(await ask(`${server.url}${TERMS}`)) });
  expect((await ask(`${revived.url}${STATE}`)).text).toBe(stateOf(2));
  expect((await ask(`${revived.url}${STATE}?versions`)).text).toBe((await ask(`${server.url}${STATE}?versions`)).text);
  expect((await ask(`${revived.url}${STATE}`, { method: 'POST', body: stateOf(3) })).text).toBe('3\n');
  const { json } = await ask(`${revived.url}${LEASES}/one`);
  const renewed = await ask(`${revived.url}${LEASES}/one`, { method: 'PUT', body: { ...json, spec: { holderIdentity: 'y' } } });
  expect(renewed.status).toBe(200);
  expect(Number(renewed.json.metadata?.resourceVersion)).toBeGreaterThan(1_790_000_000_000_000);
  await revived.stop();
  expect((await runCommand(['verify', ...into])).code).toBe(0);
});

test('grants to SQL clients are restored for roles that exist, and warned of for others', async () => {
  await using from = await connected(server.databaseUrl);
  const [stays, goes] = [`Stays ${process.pid}`, `goes_${process.pid}`];
  const file = path.join(scratch, 'granted.backup.gz');
  const empty = await createTestDatabase();
  const to = await connected(empty.url);
  try {
    for (const role of [stays, goes]) await from.query(`create role "${role}"; select coordination.lease_grant('"${role}"', 'default', 7)`);
    expect((await runCommand(['backup', file, ...on()])).code).toBe(0);
    await from.query(`select coordination.lease_revoke('${goes}', 'default'); drop owned by ${goes}; drop role ${goes}`);
    const { code, stderr } = await runCommand(['restore', file, '--database-url', empty.url]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`role "${goes}" does not exist here: what lease_grant gave it in namespace`),
    ]);
    expect((await to.query('select role::text, namespace, most_leases from coordination_tables.lease_access')).rows).toEqual([
      { role: `"${stays}"`, namespace: 'default', most_leases: 7 },
    ]);
    await to.query(`set role "${stays}"`);
    expect((await to.query(`call coordination.lease_acquire('default', 'one', 'a', '1 s')`)).rows).toMatchObject([{ holder: 'x' }]);
  } finally {
    await to.end();
    await empty.drop();
    await from.query(`select coordination.lease_revoke('"${stays}"', 'default'); drop owned by "${stays}"; drop role "${stays}"`);
  }
});

test('a truncated backup is rejected as a whole', async () => {
  const cut = path.join(scratch, 'cut.backup');
  writeFileSync(cut, gunzipSync(readFileSync(backup)).toString().slice(0, 2000));
  const into = ['--database-url', other.url];
  const before = (await runCommand(['verify', '-o', 'json', ...into])).stdout;
  const [, name] = /--yes=(\S+)/.exec(await failureOf(['restore', backup, '--replace', ...into])) ?? [];
  expect(await failureOf(['restore', cut, '--replace', ...into])).toMatch(/ line \d+ is malformed|it is truncated|pass --yes/);
  expect((await runCommand(['restore', cut, '--replace', `--yes=${name}`, ...into])).stderr).toMatch(
    /error: cannot use .*cut.backup: line \d+ is malformed|it is truncated/,
  );
  expect((await runCommand(['verify', '-o', 'json', ...into])).stdout).toBe(before);
  expect(await failureOf(['restore', path.join(scratch, 'none'), ...on()])).toMatch(/^error: cannot read .*none: ENOENT/);
});

test('compact removes the history that older watches would start in', async () => {
  const list = await ask(`${server.url}${LEASES}`);
  await ask(`${server.url}${LEASES}`, { method: 'POST', body: { metadata: { name: 'later' }, spec: {} } });
  const { code, stdout } = await runCommand(['compact', ...on()]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^compacted up to revision \d+\n$/)]);
  expect(Number(/\d+/.exec(stdout)?.[0])).toBeGreaterThan(Number(list.json.metadata?.resourceVersion));
  expect(await failureOf(['compact', '--revision', 'x', ...on()])).toMatch(/^error: invalid value "x" for --revision/);
});

test('compact behind a lock says whose it is, and the printed line lets it go on', async () => {
  const left = await connected(server.databaseUrl);
  left.on('error', () => undefined);
  await left.query('begin; lock table coordination_tables.revision_log, coordination_tables.compaction in share row exclusive mode');
  const line = await failureOf(['compact', ...on()]);
  expect(line).toMatch(
    /^error: another session .*; process \d+ \(role .*\) has .*compaction.* locked: end it, "select pg_terminate_backend\(\d+\)" does/,
  );
  await rowsOf(server.databaseUrl, /"(select pg_terminate_backend\(\d+\))"/.exec(line)?.[1] ?? '');
  expect(await runCommand(['compact', ...on()])).toMatchObject({ code: 0 });
});

test('bump-revision continues above a revision that the database has not reached', async () => {
  const list = await ask(`${server.url}${LEASES}`);
  const above = Number(list.json.metadata?.resourceVersion) + 1_000_000_000;
  const { code, stdout } = await runCommand(['bump-revision', '--above', String(above), ...on()]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^revisions continue at \d{16}\n$/)]);
  const created = await ask(`${server.url}${LEASES}`, { method: 'POST', body: { metadata: { name: 'bumped' }, spec: {} } });
  expect(Number(created.json.metadata?.resourceVersion)).toBeGreaterThan(above);
  const watch = await ask(`${server.url}${LEASES}?watch=true&timeoutSeconds=1&resourceVersion=${list.json.metadata?.resourceVersion}`);
  expect(watch.text).toContain('"code":410');
  expect(await failureOf(['bump-revision', '--above', '-1', ...on()])).toMatch(/^error: invalid value "-1" for --above/);
});

test('certs shows the certificates, the names they cover, and their expiry', async () => {
  const { code, stdout } = await runCommand(['certs', '-o', 'json', '--data-dir', server.dataDir]);
  const certificates = JSON.parse(stdout) as { name: string; names: string[]; daysLeft: number }[];
  expect([code, certificates.map(({ name }) => name)]).toEqual([0, ['apiserver', 'ca']]);
  expect(certificates[0]?.names).toContain('127.0.0.1');
  expect(await failureOf(['certs', '--data-dir', path.join(scratch, 'none')])).toMatch(/^error: no certificates in/);
});

test('a backup overwrites a file only with --overwrite, and leaves no other file behind', async () => {
  const file = path.join(scratch, 'kept.backup');
  writeFileSync(file, 'kept');
  expect(await failureOf(['backup', file, ...on()])).toBe(`error: ${file} already exists: choose another name, or pass --overwrite`);
  expect(readFileSync(file, 'utf8')).toBe('kept');
  expect((await runCommand(['backup', file, '--overwrite', ...on()])).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toContain('coordination-apiserver/backup');
  expect(readdirSync(scratch).filter((name) => name.includes('partial'))).toEqual([]);
  const nowhere = path.join(scratch, 'none/new.backup');
  expect(await failureOf(['backup', nowhere, ...on()])).toBe(`error: cannot write ${nowhere}: open: its directory does not exist`);
});

const NOTHING_BEFORE = 'error: 0001_baseline has made this schema, and nothing goes back before it: drop the schema instead';

/** Functions have no text of before: the version before puts its own back when it starts. */
const FUNCTIONS_REVERTED = /^0001_baseline +applied\n0002_tables_apart +applied\nfunctions-\w+ +pending/m;
const TABLES_REVERTED = /^0001_baseline +applied\n0002_tables_apart +pending/m;

testNeeding('detectable servers', 'restore and migrate down are refused while servers work on the schema', async () => {
  const served = /^error: servers are using this schema \(\d+ sessions are open\): stop them all first$/;
  expect(await failureOf(['restore', backup, '--replace', ...on()])).toMatch(served);
  expect(await failureOf(['migrate', 'down', '--yes', ...on()])).toMatch(served);
});

testNeeding('detectable servers', 'restore and migrate down work while servers work on another schema of the database', async () => {
  const beside = [...on(), '--database-schema', 'beside'];
  await runCommand(['migrate', 'up', ...beside]);
  const { code, stderr } = await runCommand(['restore', backup, ...beside]);
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^\d+ objects, \d+ terms and 2 versions of states from revision \d+; revisions continue at \d{16}\n$/),
  ]);
  expect((await runCommand(['migrate', 'down', '--yes', ...beside])).stdout).toMatch(FUNCTIONS_REVERTED);
  expect((await runCommand(['migrate', 'down', '--yes', ...beside])).stdout).toMatch(TABLES_REVERTED);
  expect(await failureOf(['migrate', 'down', '--yes', ...beside])).toBe(NOTHING_BEFORE);
});

test('when running servers cannot be detected, the command says so', async () => {
  const unseen = [...on(), '--database-schema', 'unseen', '--database-pooling=transaction'];
  const warning = /^warning: behind a transaction pooler, the servers that use this schema cannot be detected: .*\n/;
  await runCommand(['migrate', 'up', ...unseen]);
  const restored = await runCommand(['restore', backup, ...unseen]);
  expect([restored.code, restored.stderr]).toEqual([0, expect.stringMatching(warning)]);
  const reverted = await runCommand(['migrate', 'down', '--yes', ...unseen]);
  expect([reverted.code, reverted.stdout, reverted.stderr]).toEqual([
    0,
    expect.stringMatching(FUNCTIONS_REVERTED),
    expect.stringMatching(warning),
  ]);
});

test('doctor warns of a transaction left open after a write', async () => {
  await using client = await connected(server.databaseUrl);
  await client.query('begin');
  // allocates a transaction id and holds no snapshot
  await client.query('create table left_open ()');
  await new Promise((resolve) => setTimeout(resolve, 5_500));
  const { stdout } = await runCommand(['doctor', '-o', 'json', ...on(), '--data-dir', server.dataDir]);
  const checks = JSON.parse(stdout) as { check: string; state: string; detail: string }[];
  expect(checks.find(({ check }) => check === 'long transactions')).toMatchObject({
    state: 'warning',
    detail: expect.stringMatching(/^the oldest open transaction began \d+\.\d s ago \(process \d+ of the role \S+, idle in transaction\);/),
  });
});

test('migrate check returns an exit code, and migrate down needs confirmation', async () => {
  await using fresh = await createEmptyDatabase();
  const into = ['--database-url', fresh.url];
  const pending = await runCommand(['migrate', 'check', ...into]);
  const [, line = ''] = /: run (.*) with the same settings$/.exec(pending.stderr.trim()) ?? [];
  expect([pending.code, line]).toEqual([2, 'migrate up']);
  await runCommand([...line.split(' '), ...into]);
  expect((await runCommand(['migrate', 'check', ...into])).code).toBe(0);
  expect(await failureOf(['migrate', 'down', ...into])).toBe('error: migrate down loses data: pass --yes to confirm');
  expect((await runCommand(['migrate', 'down', '--yes', ...into])).stdout).toMatch(FUNCTIONS_REVERTED);
  expect((await runCommand(['migrate', 'down', '--yes', ...into])).stdout).toMatch(TABLES_REVERTED);
  expect(await failureOf(['migrate', 'down', '--yes', ...into])).toBe(NOTHING_BEFORE);
});

test('migrate check lists what pending migrations lock, and whom they would wait for', async () => {
  await using fresh = await createEmptyDatabase();
  const into = ['--database-url', fresh.url];
  await using client = await connected(fresh.url);
  await runCommand(['migrate', 'up', ...into]);
  await client.query(`delete from coordination_tables.schema_migration where name like 'functions-%'`);
  await client.query('begin; select * from coordination.lease_terms');
  const check = await runCommand(['migrate', 'check', ...into]);
  expect([check.code, check.stdout, check.stderr]).toEqual([
    2,
    expect.stringMatching(/^functions-\w+ +pending +lease_terms \(a view\), leases \(a view\)$/m),
    expect.stringMatching(
      /^warning: functions-\w+ would wait now: process \d+ \(role .*idle in transaction.*\) has .*lease_terms locked$/m,
    ),
  ]);
});

test('the lines of doctor to copy name the same database, without its password', async () => {
  await using fresh = await createEmptyDatabase();
  const file = path.join(scratch, 'repeated.yaml');
  writeFileSync(file, `database-url: ${fresh.url}\n`);
  const help = async (...flags: string[]) =>
    (await runCommand(['doctor', ...flags, '--data-dir', server.dataDir])).stdout.split('What may help:')[1];
  const dataDir = `--data-dir=${server.dataDir}`;
  expect(await help('--config', file)).toMatch(new RegExp(`/coordination-apiserver migrate up --config=${file} ${dataDir}\n`));
  const shown = await help('--database-url', fresh.url);
  expect(shown).toMatch(/ migrate up --database-url=postgres(ql)?:\/\/[^:@]*@/);
  const note = 'The password is left out: set PGPASSWORD to it.';
  if (/:[^/@]+@/.test(fresh.url)) expect(shown).toContain(note);
  for (const command of [['verify'], ['backup', path.join(scratch, 'unwritten.gz')]]) {
    expect(await failureOf([...command, '--config', file])).toMatch(
      /: run ".* migrate up" first, with the same settings, or start a server/,
    );
  }
});

test('completion covers the commands and their flags', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await runCommand(['completion', shell]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/migrate down'[^]*yes/)]);
  }
  const { stdout: bash } = await runCommand(['completion', 'bash']);
  const complete = (...words: string[]) => {
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const line = `COMP_WORDS=(coordination-apiserver ${quoted}); COMP_CWORD=${words.length}; _coordination_apiserver; echo "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', `source /dev/stdin <<'END'\n${bash}END\n${line}`], { encoding: 'utf8' }).trimEnd();
  };
  expect(complete('migrate', '')).toMatch(/^status check up down /);
  expect(complete('--data-dir', 'x', 'migrate', '--log-level', 'debug', 'down', '--y')).toBe('--yes');
  expect(complete('serve', '--log-level', '')).toBe('trace debug info warn error');
  expect(complete('--log-level', '=', 'w')).toBe('warn');
  expect(complete('--swagger-ui', '=')).toBe('true false');
  expect(complete('--secure-po')).toBe('--secure-port');
  expect(complete('doctor', '-o', '')).toBe('table json yaml');
  expect(complete('doctor', '--output', '')).toBe('table json yaml');
  expect(complete('--tls-cert-file', '')).toBe('');
});

test('commands end without a word when nobody reads their output', async () => {
  const files = ['--data-dir', server.dataDir];
  const commands = [
    ['backup', '-', ...on()],
    ['verify', ...on()],
    ['leases', ...files],
    ['export', ...files],
  ];
  for (const command of commands) {
    const run = new ServerRun(command);
    run.child.stdout?.destroy();
    expect([command[0], await run.ended, run.stderr]).toEqual([command[0], 141, '']);
  }
});
