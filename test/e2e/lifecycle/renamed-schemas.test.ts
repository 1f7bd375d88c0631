import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { rowsOf } from '../../support/connected.js';
import { forAllTests } from '../../support/for-tests.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { createEmptyDatabase } from '../../support/test-database.js';
import { createLease, leaseNames, ServerRun } from './server-run.js';

/*
 * A start where the tables of an installation have gone from under their name: the server does not guess what that means.
 */
const dataDir = path.join(scratchDirectory(), 'data');
const file = path.join(dataDir, 'installation');
const database = forAllTests(() => createEmptyDatabase());
const start = (dir = dataDir) => new ServerRun(['--secure-port=0', `--data-dir=${dir}`], { environment: { DATABASE_URL: database.url } });
const rename = (from: string, to: string) => rowsOf(database.url, `alter schema ${from} rename to ${to}`);
const schemas = () =>
  rowsOf<{ name: string }>(database.url, `select nspname as name from pg_namespace where nspname !~ '^pg_|^info' order by 1`);

async function failure(): Promise<string> {
  const run = start();
  expect([await run.ended, run.stdout]).toEqual([1, '']);
  const lines = run.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
  expect(lines).toHaveLength(1);
  return lines[0]!;
}

beforeAll(async () => {
  const run = start();
  await createLease(await run.ready(), dataDir, 'kept');
  await run.end('SIGTERM');
});

test.each([[['coordination']], [['coordination_tables']], [['coordination', 'coordination_tables']]])(
  'where %j is renamed, the start says so and creates nothing',
  async (names) => {
    for (const name of names) await rename(name, name.replace('coordination', 'away'));
    const before = await schemas();
    const said = await failure();
    expect(await schemas()).toEqual(before);
    if (names.length === 1) {
      expect(said).toMatch(new RegExp(`^error: the schema ${names[0]} of the database test_\\w+ is missing, .* rename or restore it$`));
    } else {
      expect(said).toMatch(/^error: the schema coordination of the database test_\w+ at .* has no tables of coordination-apiserver, but /);
    }
    for (const name of names) await rename(name.replace('coordination', 'away'), name);
    const run = start();
    expect(await leaseNames(await run.ready(), dataDir)).toEqual(['kept']);
    await run.end('SIGTERM');
  },
);

test('what the line says is done: without the file, the next start makes tables anew', async () => {
  for (const name of ['coordination', 'coordination_tables']) await rename(name, name.replace('coordination', 'away'));
  expect(await failure()).toContain(`or remove ${file} to have the next start make new ones`);
  const noted = readFileSync(file, 'utf8');
  rmSync(file);
  const run = start();
  expect(await leaseNames(await run.ready(), dataDir)).toEqual([]);
  await run.end('SIGTERM');
  expect(readFileSync(file, 'utf8')).not.toBe(noted);
});
