import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { rowsOf } from '../../support/connected.js';
import { forAllTests } from '../../support/for-tests.js';
import { runCommand } from '../cli/run-command.js';
import { ask } from '../../support/http-client.js';
import { type ServerProcess, startServerProcess } from '../../support/server-process.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { caughtUp, primaryAndCopy } from '../../support/standby.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const scratch = scratchDirectory();
const pair = forAllTests(() => primaryAndCopy(scratch));

async function hold(server: ServerProcess, name: string): Promise<number> {
  const { status, json } = await ask(`${server.url}${LEASES}`, {
    method: 'POST',
    body: { metadata: { name }, spec: { holderIdentity: 'x' } },
  });
  expect(status).toBe(201);
  return Number(json.metadata?.resourceVersion);
}

test('a standby supports backup and verify; after promotion, revisions continue above the clock and watches continue', async () => {
  const { primary, standby } = pair;
  const promoted = standby.start();
  promoted.catch(() => undefined);

  const first = await startServerProcess({ databaseUrl: primary.url() });
  const before = await hold(first, 'before');
  await caughtUp(standby, primary);

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
  await rowsOf(standby.url(), 'select pg_promote()');
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
