import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { connected, rowsOf } from '../../support/connected.js';
import { startPostgres } from '../../support/postgres-under-test.js';
import pg from 'pg';
import { PROGRAM } from '../../support/program-under-test.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { ServerRun } from '../lifecycle/server-run.js';
import { failureOf, runCommand } from './run-command.js';

/*
 * Every line that a command prints to copy is run, as it is printed, in the state in which it is printed. A PostgreSQL of its own, whose settings
 * the lines change.
 */
const scratch = scratchDirectory(tmpdir());
const noData = path.join(scratch, 'none');

const postgres = forAllTests(() => startPostgres({ dir: path.join(scratch, 'postgres') }));
const superuser = forAllTests(() => connected(postgres.url()));
beforeAll(async () => {
  for (const role of ['server', 'reader', 'outsider']) await superuser.query(`create role ${role} login password '${role}'`);
  await superuser.query(`create role "user" login password 'user'`);
  await superuser.query(`create role dba login superuser password 'dba'`);
  await superuser.query('create database d owner server');
  writeFileSync(path.join(scratch, 'coordination-apiserver'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`, { mode: 0o755 });
  for (const text of ['server', 'old', 'key']) writeFileSync(path.join(scratch, text), text);
});

function urlOf(user: string, password = user): string {
  const { port, host } = superuser;
  return `postgresql://${user}:${password}@/d?host=${encodeURIComponent(host)}&port=${port}`;
}

const onDatabase = (sql: string) => rowsOf(urlOf('dba'), sql);

interface Doctor {
  readonly code: number | NodeJS.Signals;
  readonly findings: Readonly<Record<string, string>>;
  readonly lines: readonly string[];
}

async function doctor(user: string, ...flags: string[]): Promise<Doctor> {
  const { code, stdout } = await runCommand(['doctor', '--database-url', urlOf(user), '--data-dir', noData, ...flags]);
  const [table = '', after = ''] = stdout.split('What may help:');
  const findings = [...table.matchAll(/^(\S.*?) {2,}(warning|problem) +(.*)$/gm)].map(([, check = '', , detail = '']) => [check, detail]);
  const lines = [...after.matchAll(/^ {2}(\S.*)$/gm)].map(([, line = '']) => line);
  return { code, findings: Object.fromEntries(findings) as Record<string, string>, lines };
}

/** Runs a printed line in a shell as its reader does, who replaces what is in capitals. A server is stopped once it serves. */
function runLine(line: string, user: string, placeholders: Readonly<Record<string, string>> = {}): void {
  const served = '$1 --secure-port=0 >served & until grep -q "serving at" served || ! kill -0 $!; do sleep 0.1; done; kill $!; wait $!';
  let command = line.replace('ADMIN@', 'dba@').replace(/(.* serve\b.*?)(?= {3}#|$)/, served);
  for (const [placeholder, value] of Object.entries(placeholders)) command = command.replace(placeholder, value);
  const environment = {
    ...process.env,
    PATH: `${scratch}:${process.env['PATH'] ?? ''}`,
    PGPASSWORD: line.includes('ADMIN@') ? 'dba' : user,
  };
  const { status, stderr } = spawnSync('bash', ['-c', command], { env: environment, encoding: 'utf8', cwd: scratch });
  expect([command, status, stderr]).toEqual([command, 0, expect.any(String)]);
}

interface State {
  readonly state: string;
  readonly user?: string;
  readonly given: () => Promise<unknown>;
  readonly flags?: readonly string[];
  /** The check that does not pass until all lines have run. */
  readonly finds: string;
  readonly placeholders?: () => Readonly<Record<string, string>>;
}

let left: pg.Client | undefined;

/** The secrets are encrypted with the password `old`, which is the servers' no longer. */
async function encryptWithOldPassword(): Promise<void> {
  await onDatabase(`alter role server password 'old'; delete from coordination_tables.server_state`);
  const flags = ['--secure-port=0', '--data-dir', path.join(scratch, 'first'), '--database-url', urlOf('server', 'old')];
  const first = new ServerRun(['serve', ...flags]);
  await first.ready();
  await first.end('SIGTERM');
  await onDatabase(`alter role server password 'server'`);
}

async function leaveTransactionOpen(): Promise<void> {
  left = new pg.Client(urlOf('outsider'));
  left.on('error', () => undefined);
  await left.connect();
  await left.query('begin; select txid_current()');
  await new Promise((resolve) => setTimeout(resolve, 5_500));
}

const NO_SPARES = `do $$ declare name text; begin
  for name in select inhrelid::regclass from pg_inherits, coordination_tables.revision_counter c where inhparent = 'coordination_tables.revision_log'::regclass
    and substring(inhrelid::regclass::text from '[0-9]+$')::int > c.segment loop execute 'drop table ' || name; end loop; end $$`;

const WITHOUT_FUNCTIONS = `delete from coordination_tables.schema_migration where name like 'functions-%'`;

const STATES: readonly State[] = [
  {
    state: 'a role with a keyword as its name that may not create the schema',
    user: 'user',
    given: () => Promise.resolve(),
    finds: 'PostgreSQL',
  },
  {
    state: 'a role that may not create the schema',
    user: 'outsider',
    given: () => onDatabase('drop schema coordination, coordination_tables'),
    finds: 'PostgreSQL',
  },
  {
    state: 'a schema in which the role may not create tables',
    given: () => onDatabase('drop schema coordination, coordination_tables; create schema coordination; create schema coordination_tables'),
    finds: 'PostgreSQL',
  },
  {
    state: 'an empty schema of somebody else, who has granted it',
    given: () =>
      onDatabase(
        'drop schema coordination, coordination_tables; create schema coordination authorization outsider; grant all on schema coordination to public; create schema coordination_tables authorization server',
      ),
    finds: 'PostgreSQL',
  },
  { state: 'an empty database', given: () => onDatabase('drop schema coordination, coordination_tables'), finds: 'migrations' },
  {
    state: 'a pending migration',
    given: () => onDatabase(WITHOUT_FUNCTIONS),
    finds: 'migrations',
  },
  {
    state: 'an earlier password that encrypts the secrets',
    given: encryptWithOldPassword,
    finds: 'secrets',
    placeholders: () => ({ FILE: path.join(scratch, 'old') }),
  },
  {
    state: 'an earlier password that encrypts the secrets, where a key is to encrypt them',
    given: encryptWithOldPassword,
    flags: [`--secrets-key-file=${path.join(scratch, 'key')}`],
    finds: 'secrets',
    placeholders: () => ({ '=FILE': `=${path.join(scratch, 'old')}` }),
  },
  {
    state: 'a schema that no server has used for an hour',
    given: () =>
      onDatabase(`delete from coordination_tables.server_state; update coordination_tables.compaction set held_until = now() - interval '1 h';
      delete from coordination_tables.serving_session`),
    finds: 'maintenance',
  },
  ...['role server', 'database d', 'role server in database d', 'role all'].map((whose) => ({
    state: `a commit of ${whose} that waits for no disk`,
    given: () => onDatabase(`alter ${whose} set synchronous_commit = off`),
    finds: 'durability',
  })),
  {
    state: 'others who may create objects in the schemas, and have granted it on',
    given: () =>
      onDatabase(`grant create on schema coordination to public; grant create on schema coordination_tables to outsider with grant option;
      set role outsider; grant create on schema coordination_tables to reader; reset role`),
    finds: 'rights',
  },
  { state: 'a log without spare segments', given: () => onDatabase(NO_SPARES), finds: 'revision log' },
  {
    state: 'a transaction that somebody left open',
    user: 'dba',
    given: leaveTransactionOpen,
    finds: 'long transactions',
  },
];

const hasPsql = spawnSync('psql', ['--version']).status === 0;

test.each(STATES)("doctor's lines help with $state", async ({ user = 'server', given, flags = [], finds, placeholders }) => {
  await given();
  const before = await doctor(user, ...flags);
  expect(Object.keys(before.findings)).toContain(finds);
  expect(before.lines).not.toEqual([]);
  for (const line of before.lines) {
    if (hasPsql || !line.startsWith('psql')) runLine(line, user, placeholders?.());
  }
  if (!hasPsql && before.lines.some((line) => line.startsWith('psql'))) return;
  const after = Object.keys((await doctor(user, ...flags)).findings);
  expect(after).not.toContain(finds);
  // nor is it a finding that no server has run for long enough
  expect(after).not.toContain('maintenance');
});

test('doctor as a role other than that of the servers checks no secrets, finds no problem, and has no line to copy', async () => {
  await encryptWithOldPassword();
  await onDatabase(`alter role server password 'old'; update coordination_tables.compaction set held_until = now() - interval '1 h';
    delete from coordination_tables.serving_session; revoke all on schema coordination from outsider;
    grant usage on schema coordination, coordination_tables to reader; grant select on all tables in schema coordination_tables to reader; revoke all on coordination_tables.server_state from reader`);
  for (const user of ['dba', 'reader', 'outsider']) {
    const { code, findings, lines } = await doctor(user);
    expect([user, code, lines]).toEqual([user, 0, []]);
    expect(findings['rights']).toBe(`not checked: the role ${user} is not that of the servers, server, which owns the schema`);
    expect(findings).not.toHaveProperty('secrets');
  }
  expect((await doctor('outsider')).findings['migrations']).toBe('not checked: the role outsider may not use the schema');
});

test('no role but that of the servers encrypts their secrets with its password', async () => {
  const old = `--old-key-file=${path.join(scratch, 'old')}`;
  expect(await failureOf(['secrets', 'rekey', old, '--database-url', urlOf('dba')])).toBe(
    "error: the servers' tables belong to server, and no server could start after an encryption with the password of dba: connect as server, or pass --secrets-key-file with the key or password of the servers",
  );
  const serve = ['serve', '--secure-port=0', '--data-dir', path.join(scratch, 'second')];
  expect(await failureOf([...serve, '--database-url', urlOf('dba')])).toMatch(
    /the password of dba does not open the secrets .*: connect as server, or pass --secrets-key-file=FILE/,
  );
  const servers = new ServerRun([...serve, '--database-url', urlOf('server', 'old')]);
  await servers.ready();
});

test('verify says what to grant to a role that may read nothing, or what to run where there is nothing to read', async () => {
  const verify = ['verify', '--database-url'];
  const grants = /: (grant usage .*; grant select .*; grant execute .*;)$/.exec(await failureOf([...verify, urlOf('outsider')]))?.[1] ?? '';
  await onDatabase(grants);
  expect(await runCommand([...verify, urlOf('outsider')])).toMatchObject({ code: 0 });
  await onDatabase("drop schema coordination, coordination_tables cascade; alter role server password 'server'");
  for (const state of ['empty', 'a migration behind']) {
    const [, line = ''] = /: run "(.*)" first, with the same settings/.exec(await failureOf([...verify, urlOf('server')])) ?? [];
    runLine(`${line} --database-url='${urlOf('server')}'`, 'server');
    expect([state, await runCommand([...verify, urlOf('server')])]).toMatchObject([state, { code: 0 }]);
    if (state === 'empty') await onDatabase(WITHOUT_FUNCTIONS);
  }
});

test.each([
  [
    'with its server',
    `create table coordination.schema_migration (name text)`,
    /connect as outsider, whose servers use it, or choose another/,
  ],
  ['that is not empty', `create table coordination.mine (name text)`, /is not empty: choose another schema with --database-schema$/],
])(
  'a server that finds a schema of somebody else %s starts in another one, in which it may create tables once the printed line has run',
  async (what, table, reason) => {
    await onDatabase(`drop schema if exists coordination, coordination_tables cascade; create schema coordination authorization outsider; set role outsider; ${table}; reset role;
    revoke create on database d from public; alter database d owner to dba`);
    const start = [
      'serve',
      '--secure-port=0',
      '--data-dir',
      path.join(scratch, what.replaceAll(' ', '-')),
      '--database-url',
      urlOf('server'),
    ];
    expect(await failureOf(start)).toMatch(reason);
    const elsewhere = [...start, '--database-schema=own'];
    const [, sql = ''] = /: run "(.*)" there, or/.exec(await failureOf(elsewhere)) ?? [];
    await onDatabase(sql);
    const server = new ServerRun(elsewhere);
    await server.ready();
    await server.end('SIGTERM');
    await onDatabase('drop schema own, own_tables, coordination cascade; alter database d owner to server');
  },
);
