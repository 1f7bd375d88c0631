import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { forAllTests } from '../../../test/support/for-tests.js';
import { connected } from '../../../test/support/connected.js';
import { ClientProcess } from '../../../test/clients/client-process.js';
import { startServerProcess } from '../../../test/support/server-process.js';
import { createEmptyDatabase } from '../../../test/support/test-database.js';
import { apiAccess } from './support/api-access.js';
import { buildPackage } from './support/build-package.js';

interface Packed {
  readonly files: readonly { readonly path: string }[];
}

const root = path.resolve(import.meta.dirname, '..');
const example = (name: string) => readFile(path.join(root, 'examples', name), 'utf8');

test.each(['one-at-a-time.mjs', 'fencing.sql', 'fenced-write.sql'])('the README shows %s', async (name) => {
  expect(await readFile(path.join(root, 'README.md'), 'utf8')).toContain((await example(name)).trimEnd());
});

describe('the example', () => {
  beforeAll(async () => {
    await buildPackage();
  });
  const server = forAllTests(() => startServerProcess());

  test('leads with the built package, and another takes over at once when it is stopped', async () => {
    const access = await apiAccess(server);
    const env = { ...process.env, NODE_OPTIONS: '', SERVER: access.server, TOKEN: access.token, CA_FILE: access.caFile };
    const start = () => new ClientProcess(process.execPath, [path.join(root, 'examples/one-at-a-time.mjs')], env);
    const first = start();
    await first.line(/leads with fencing token \d+$/);
    const second = start();
    first.signal('SIGTERM');
    await first.line(/^no longer: aborted$/);
    await second.line(/leads with fencing token \d+$/, 14_000); // less than the fifteen seconds of the lease
    await Promise.all([first.kill(), second.kill()]);
  });

  test('the package contains only the build, the examples and their documentation', () => {
    const { stdout, stderr } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' });
    const packed = JSON.parse(stdout) as Packed[] | Record<string, Packed>;
    const [{ files } = { files: [] }] = Object.values(packed);
    const paths = files.map(({ path: file }) => file);
    expect([stderr, paths]).toEqual([stderr, expect.arrayContaining(['README.md', 'LICENSE', 'package.json', 'dist/leader-election.js'])]);
    const odd = paths.filter(
      (file) =>
        !/^(dist\/leader-election\.js|dist\/types\/(packages\/(leader-election|kube-client)\/src|src\/apimachinery\/(election|schema))\/[a-z-]+\.d\.ts|examples\/[a-z-]+\.(mjs|sql)|README\.md|LICENSE|package\.json)$/.test(
          file,
        ),
    );
    expect(odd).toEqual([]);
  });

  test('the package contains everything that it exports', async () => {
    const { exports, files } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
      exports: { '.': Record<string, string> };
      files: string[];
    };
    expect(files).toContain('dist');
    for (const file of Object.values(exports['.'])) {
      await expect(readFile(path.join(root, file), 'utf8')).resolves.toContain('LeaderElector');
    }
  });
});

describe('the recipe', () => {
  const write = async (token: bigint, balance: number, by: pg.Client = client) =>
    (await by.query(await example('fenced-write.sql'), ['a', token, balance])).rowCount;
  const balance = async () => (await client.query<{ balance: number }>('select balance from account')).rows[0]?.balance;

  const database = forAllTests(() => createEmptyDatabase());
  const client = forAllTests(() => connected(database.url));
  beforeAll(async () => {
    await client.query(await example('fencing.sql'));
    await client.query(`create table account (name text primary key, balance int); insert into account values ('a', 0)`);
  });

  test('accepts an equal or greater token and refuses a smaller one', async () => {
    expect(await write(10n, 1)).toBe(1);
    expect(await write(10n, 2)).toBe(1);
    expect(await write(9_007_199_254_740_993n, 3)).toBe(1);
    expect(await write(9_007_199_254_740_992n, 4)).toBe(0);
    expect(await balance()).toBe(3);
  });

  test('refuses a stale write that waited for the newer one to commit', async () => {
    await using newer = await connected(database.url);
    await newer.query('begin');
    expect(await write(9_100_000_000_000_000n, 5, newer)).toBe(1);
    const stale = write(9_050_000_000_000_000n, 6);
    await newer.query('commit');
    expect(await stale).toBe(0);
    expect(await balance()).toBe(5);
  });
});
