import path from 'node:path';
import pg from 'pg';
import { afterAll, expect, test } from '@jest/globals';
import { DatabaseProxy } from '../../integration/storage/database-proxy.js';
import { connected } from '../../support/connected.js';
import { eventually } from '../../support/eventually.js';
import { ask } from '../../support/http-client.js';
import { postgresUnderTest } from '../../support/postgres-under-test.js';
import { startServerProcess } from '../../support/server-process.js';
import { runCommand } from '../cli/run-command.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { caughtUp, copyOf } from '../../support/standby.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const scratch = scratchDirectory();
const [primaryDir, standbyDir] = [path.join(scratch, 'a'), path.join(scratch, 'b')];
const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row | undefined> {
  await using client = await connected(url);
  return (await client.query<Row>(text)).rows[0];
}

/** doctor's result for a check. */
async function diagnosis(url: string, check: string): Promise<{ state: string; detail: string } | undefined> {
  const { stdout } = await runCommand(['doctor', '-o', 'json', '--database-url', url]);
  return (JSON.parse(stdout) as { check: string; state: string; detail: string }[]).find((each) => each.check === check);
}

test('the primary among several hosts is used, whatever its position, and after a failover the new one', async () => {
  const primary = postgresUnderTest({ dir: primaryDir });
  await primary.start();
  ends.push(() => primary.stop());
  const standby = await copyOf(primary, primaryDir, standbyDir);
  await standby.start();
  ends.push(() => standby.stop());
  const [first, second] = await Promise.all([DatabaseProxy.start(standby.url()), DatabaseProxy.start(primary.url())]);
  ends.push(() => Promise.all([first.close(), second.close()]));
  const { user = '', password = '', port: firstPort } = new pg.Client(first.url(standby.url()));
  const { port: secondPort } = new pg.Client(second.url(primary.url()));
  const hosts = `127.0.0.1:${firstPort},127.0.0.1:${secondPort}`;
  const url = `postgresql://${user}:${password}@${hosts}/postgres?target_session_attrs=read-write`;

  const server = await startServerProcess({ databaseUrl: url });
  ends.push(() => server.stop());
  const create = async (name: string) =>
    (await ask(`${server.url}${LEASES}`, { method: 'POST', body: { metadata: { name }, spec: { holderIdentity: 'x' } } })).status;
  expect(await create('before')).toBe(201);
  expect((await diagnosis(url, 'PostgreSQL'))?.detail).toMatch(new RegExp(` at 127\\.0\\.0\\.1:${secondPort}$`));
  const both = `127.0.0.1:${firstPort} standby, 127.0.0.1:${secondPort} primary`;
  expect(await diagnosis(url, 'hosts')).toMatchObject({ state: 'ok', detail: both });

  const place = await query<{ lsn: string }>(primary.url(), 'select pg_current_wal_lsn()::text as lsn');
  await caughtUp(standby.url(), place?.lsn ?? '');
  second.refuse();
  await primary.stop();
  await query(standby.url(), 'select pg_promote()');
  await eventually(async () => (await create('after')) === 201);
  expect((await ask(`${server.url}${LEASES}/before`)).status).toBe(200);
  const promoted = `127.0.0.1:${firstPort} primary, 127.0.0.1:${secondPort} unreachable`;
  expect(await diagnosis(url, 'hosts')).toMatchObject({ state: 'warning', detail: promoted });
  await eventually(async () => (await ask(`${server.url}/readyz`)).status === 200);
});
