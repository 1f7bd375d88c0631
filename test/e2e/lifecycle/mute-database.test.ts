import { expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { DatabaseProxy } from '../../integration/storage/database-proxy.js';
import { eventually } from '../../support/eventually.js';
import { ask } from '../../support/http-client.js';
import { type ServerProcess, startServerProcess } from '../../support/server-process.js';
import { failureOf } from '../cli/run-command.js';
import { createTestDatabase } from '../../support/test-database.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
/** A read waits 5 s on a silent connection and is then retried once; TCP would wait for a quarter of an hour. */
const READS_AGAIN_MS = 30_000;

/** `server` connects through the relay, `other` directly. */

const database = forAllTests(() => createTestDatabase());
const relay = forAllTests(() => DatabaseProxy.start(database.url));
const server = forAllTests(() => startServerProcess({ databaseUrl: relay.url(database.url) }));
const other = forAllTests(() => startServerProcess({ databaseUrl: database.url }));

const write = (to: ServerProcess, name: string) =>
  ask(`${to.url}${LEASES}`, { method: 'POST', body: { metadata: { name }, spec: { holderIdentity: 'x' } } });
const names = async () => {
  const { status, json } = await ask(`${server.url}${LEASES}`);
  return status === 200 ? (json as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name) : status;
};
const ready = async () => (await ask(`${server.url}/readyz`)).status;

test('silent connections cost seconds, and no read returns an older state', async () => {
  expect((await write(server, 'before')).status).toBe(201);
  expect(await ready()).toBe(200);
  relay.silence();
  const silent = performance.now();
  expect((await write(other, 'elsewhere')).status).toBe(201);
  expect(await names()).toEqual(['before', 'elsewhere']);
  expect(performance.now() - silent).toBeLessThan(READS_AGAIN_MS);
  expect((await write(server, 'here')).status).toBe(201);
  expect(await names()).toEqual(['before', 'elsewhere', 'here']);
  await eventually(async () => (await ready()) === 200);
});

test('an unresponsive database fails /readyz and reads, no read returns an older state, and all recover with the database', async () => {
  relay.mute = true;
  expect((await write(other, 'meanwhile')).status).toBe(201);
  await eventually(async () => (await ready()) === 500);
  expect((await ask(`${server.url}/readyz/database`)).status).toBe(500);
  expect((await ask(`${server.url}/livez`)).status).toBe(200);
  expect(await failureOf(['health', '--data-dir', server.dataDir])).toMatch(/^error: readyz answers 500: database, .* failed$/);
  const answer = await names();
  expect([500, 503, 504]).toContain(answer);
  relay.mute = false;
  const over = performance.now();
  await eventually(async () => JSON.stringify(await names()).includes('meanwhile'));
  expect(performance.now() - over).toBeLessThan(READS_AGAIN_MS);
  await eventually(async () => (await ready()) === 200);
});
