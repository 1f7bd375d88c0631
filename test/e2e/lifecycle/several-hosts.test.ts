import pg from 'pg';
import { expect, test } from '@jest/globals';
import { DatabaseProxy } from '../../integration/storage/database-proxy.js';
import { rowsOf } from '../../support/connected.js';
import { eventually } from '../../support/eventually.js';
import { ask } from '../../support/http-client.js';
import { forAllTests } from '../../support/for-tests.js';
import { startServerProcess } from '../../support/server-process.js';
import { runCommand } from '../cli/run-command.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { caughtUp, primaryAndCopy } from '../../support/standby.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const scratch = scratchDirectory();
const pair = forAllTests(() => primaryAndCopy(scratch));

/** doctor's result for a check. */
async function diagnosis(url: string, check: string): Promise<{ state: string; detail: string } | undefined> {
  const { stdout } = await runCommand(['doctor', '-o', 'json', '--database-url', url]);
  return (JSON.parse(stdout) as { check: string; state: string; detail: string }[]).find((each) => each.check === check);
}

test('the primary among several hosts is used, whatever its position, and after a failover the new one', async () => {
  const { primary, standby } = pair;
  await standby.start();
  await using first = await DatabaseProxy.start(standby.url());
  await using second = await DatabaseProxy.start(primary.url());
  const { user = '', password = '', port: firstPort } = new pg.Client(first.url(standby.url()));
  const { port: secondPort } = new pg.Client(second.url(primary.url()));
  const hosts = `127.0.0.1:${firstPort},127.0.0.1:${secondPort}`;
  const url = `postgresql://${user}:${password}@${hosts}/postgres?target_session_attrs=read-write`;

  await using server = await startServerProcess({ databaseUrl: url });
  const create = async (name: string) =>
    (await ask(`${server.url}${LEASES}`, { method: 'POST', body: { metadata: { name }, spec: { holderIdentity: 'x' } } })).status;
  expect(await create('before')).toBe(201);
  expect((await diagnosis(url, 'PostgreSQL'))?.detail).toMatch(new RegExp(` at 127\\.0\\.0\\.1:${secondPort}$`));
  const both = `127.0.0.1:${firstPort} standby, 127.0.0.1:${secondPort} primary`;
  expect(await diagnosis(url, 'hosts')).toMatchObject({ state: 'ok', detail: both });

  await caughtUp(standby, primary);
  second.refuse();
  await primary.stop();
  await rowsOf(standby.url(), 'select pg_promote()');
  await eventually(async () => (await create('after')) === 201);
  expect((await ask(`${server.url}${LEASES}/before`)).status).toBe(200);
  const promoted = `127.0.0.1:${firstPort} primary, 127.0.0.1:${secondPort} unreachable`;
  expect(await diagnosis(url, 'hosts')).toMatchObject({ state: 'warning', detail: promoted });
  await eventually(async () => (await ask(`${server.url}/readyz`)).status === 200);
});
