import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { connected } from '../../support/connected.js';
import { postgresUnderTest } from '../../support/postgres-under-test.js';
import { runCommand } from '../cli/run-command.js';
import { ask } from '../../support/http-client.js';
import { type ServerProcess, startServerProcess } from '../../support/server-process.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { caughtUp, copyOf } from '../../support/standby.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const scratch = scratchDirectory();
const [primaryDir, standbyDir] = [path.join(scratch, 'a'), path.join(scratch, 'b')];
const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

async function query(url: string, text: string): Promise<string> {
  const client = await connected(url);
  const { rows } = await client.query<{ answer: string }>(text);
  await client.end();
  return rows[0]?.answer ?? '';
}

async function hold(server: ServerProcess, name: string): Promise<number> {
  const { status, json } = await ask(`${server.url}${LEASES}`, {
    method: 'POST',
    body: { metadata: { name }, spec: { holderIdentity: 'x' } },
  });
  expect(status).toBe(201);
  return Number(json.metadata?.resourceVersion);
}

test('a standby supports backup and verify; after promotion, revisions continue above the clock and watches continue', async () => {
  const primary = postgresUnderTest({ dir: primaryDir });
  await primary.start();
  ends.push(() => primary.stop());
  const standby = await copyOf(primary, primaryDir, standbyDir);
  const promoted = standby.start();
  promoted.catch(() => undefined);
  ends.push(() => standby.stop());

  const first = await startServerProcess({ databaseUrl: primary.url() });
  const before = await hold(first, 'before');
  const place = await query(primary.url(), 'select pg_current_wal_lsn()::text as answer');
  for (let tries = 0; standby.url().includes(':@') && tries < 100; tries++) await sleep(100);
  await caughtUp(standby.url(), place);

  const file = path.join(scratch, 'leases.backup');
  const backup = await runCommand(['backup', file, '--database-url', standby.url()]);
  expect([backup.code, backup.stderr]).toEqual([
    0,
    expect.stringMatching(/^\d+ objects, \d+ terms and 0 versions of states at revision \d+\n$/),
  ]);
  expect(readFileSync(file, 'utf8')).toContain('default/before');
  const verified = await runCommand(['verify', '--database-url', standby.url()]);
  expect([verified.code, verified.stderr]).toEqual([0, '']);
  const refused = await runCommand(['serve', '--secure-port=0', `--data-dir=${scratch}/c`, '--database-url', standby.url()]);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('the database is a standby: the server needs the primary')]);

  await first.stop();
  await primary.stop();
  await query(standby.url(), 'select pg_promote()::text as answer');
  await promoted;
  const clock = Date.now() * 1000;
  await using second = await startServerProcess({ databaseUrl: standby.url() });
  expect((await ask(`${second.url}${LEASES}/before`)).json).toMatchObject({ metadata: { resourceVersion: String(before) } });
  const after = await hold(second, 'after');
  expect(after).toBeGreaterThan(clock);
  const watch = (resourceVersion: number) => ask(`${second.url}${LEASES}?watch=true&timeoutSeconds=1&resourceVersion=${resourceVersion}`);
  expect((await watch(before)).text).toMatch(new RegExp(`"ADDED".*"resourceVersion":"${after}"`));
  const lost = await watch(clock - 1);
  expect(lost.text).toContain('"code":410');
  expect((await ask(`${second.url}${LEASES}?resourceVersionMatch=Exact&resourceVersion=${clock - 1}`)).status).toBe(410);
});
