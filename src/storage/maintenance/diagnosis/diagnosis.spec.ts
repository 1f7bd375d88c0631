import { type Diagnosis, type RemedyTarget, remedies } from './diagnosis.js';

const role = { superuser: true, stranger: false };
const BY_VARIABLES: RemedyTarget = { flags: '', keyFlags: '', psql: '', adminPsql: '-U ADMIN', isEmbedded: false, role };
const lines = (diagnosis: Diagnosis, target: Partial<RemedyTarget> = {}) => remedies([diagnosis], { ...BY_VARIABLES, ...target });

test('a problem has commands to copy, and a passed check has none', () => {
  const detail = 'fsync, synchronous_commit off: acknowledged writes can be lost';
  expect(lines({ check: 'durability', state: 'problem', detail })).toEqual([
    "psql -c 'alter system set fsync = on'",
    "psql -c 'alter system set synchronous_commit = on'",
    "psql -c 'select pg_reload_conf()'",
  ]);
  expect(lines({ check: 'durability', state: 'ok', detail: '' })).toEqual([]);
  expect(lines({ check: 'migrations', state: 'warning', detail: '0006 pending' })).toEqual(['coordination-apiserver migrate up']);
  expect(lines({ check: 'migrations', state: 'problem', detail: '0099 from a newer version: use that version' })).toEqual([]);
  expect(lines({ check: 'toString', state: 'problem', detail: '' })).toEqual([]);
});

test('commands to copy concern the database that was checked', () => {
  const target = { flags: '--config=c.yaml', psql: '"$DATABASE_URL"' };
  expect(lines({ check: 'migrations', state: 'warning', detail: '0006 pending' }, target)).toEqual([
    'coordination-apiserver migrate up --config=c.yaml',
  ]);
  expect(lines({ check: 'maintenance', state: 'warning', detail: '' }, target)).toEqual([
    'coordination-apiserver serve --config=c.yaml   # or, without a server: coordination-apiserver compact --config=c.yaml',
  ]);
  expect(lines({ check: 'durability', state: 'problem', detail: 'fsync off: acknowledged writes can be lost' }, target)).toEqual([
    `psql "$DATABASE_URL" -c 'alter system set fsync = on'`,
    `psql "$DATABASE_URL" -c 'select pg_reload_conf()'`,
  ]);
});

test('commands that need the key of the shared secrets name it', () => {
  const target = { flags: '--config=c.yaml', keyFlags: '--secrets-key-file=key' };
  expect(lines({ check: 'secrets', state: 'problem', detail: '' }, target)).toEqual([
    expect.stringMatching(/^coordination-apiserver secrets rekey --old-key-file=FILE --config=c.yaml --secrets-key-file=key {3}#/),
  ]);
  expect(lines({ check: 'maintenance', state: 'warning', detail: '' }, target)[0]).toMatch(
    /^coordination-apiserver serve --config=c.yaml --secrets-key-file=key /,
  );
});

test('only a server migrates the embedded database', () => {
  const pending: Diagnosis = { check: 'migrations', state: 'warning', detail: '0006 pending' };
  expect(lines(pending, { flags: '--data-dir=d', isEmbedded: true })).toEqual(['coordination-apiserver serve --data-dir=d']);
});

test('a missing privilege is answered with the grant, not with a migration that would fail', () => {
  const all: Diagnosis[] = [
    {
      check: 'PostgreSQL',
      state: 'problem',
      detail: `the user it's lacks the privilege to create tables in the schema s: run "grant usage, create on schema s to "it's"" there`,
    },
    { check: 'migrations', state: 'warning', detail: '0006 pending' },
  ];
  expect(remedies(all, { ...BY_VARIABLES, role: { ...role, superuser: false } })).toEqual([
    String.raw`psql -U ADMIN -c 'grant usage, create on schema s to "it'\''s"'   # ADMIN: a superuser of this PostgreSQL`,
  ]);
});

test('more connections than there may be now are allowed', () => {
  expect(lines({ check: 'connections', state: 'warning', detail: '490 of 500' })[1]).toMatch(/max_connections = 1000'/);
});

test("remedies that need the servers' role are left out for other roles, and psql is left out for the embedded database", () => {
  const all = ['migrations', 'secrets', 'maintenance', 'revision log', 'durability'].map(
    (check) => ({ check, state: 'warning', detail: 'fsync' }) as const,
  );
  expect(remedies(all, { ...BY_VARIABLES, role: { superuser: true, stranger: true } })).toEqual([
    "psql -c 'alter system set fsync = on'",
    "psql -c 'select pg_reload_conf()'",
  ]);
  expect(remedies(all, { ...BY_VARIABLES, isEmbedded: true }).filter((line) => line.startsWith('psql'))).toEqual([]);
});

test('the session of a long transaction is ended by the line to copy', () => {
  const detail =
    'the oldest open transaction began 39.1 s ago (process 71 of the role app, idle in transaction); long transactions slow down writes';
  const found = { check: 'long transactions', state: 'warning', detail } as const;
  expect(lines(found, { role: { superuser: true, stranger: false } }).at(-1)).toBe("psql -c 'select pg_terminate_backend(71)'");
  expect(lines(found, { isEmbedded: true })).toEqual([expect.stringMatching(/^kill 71 /)]);
  expect(lines({ ...found, detail: '2 prepared transactions are waiting' }, { isEmbedded: true })).toEqual([]);
});
