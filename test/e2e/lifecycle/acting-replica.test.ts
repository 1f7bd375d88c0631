import { beforeAll, expect, test } from '@jest/globals';
import { afterAllTests, forAllTests } from '../../support/for-tests.js';
import { eventually } from '../../support/eventually.js';
import { ask } from '../../support/http-client.js';
import { type ServerProcess, startServerProcess } from '../../support/server-process.js';
import { createTestDatabase } from '../../support/test-database.js';

const COORDINATION = '/apis/coordination.k8s.io';
/** The duration of the acting replica's lease is 15 s; the rest is for two attempts of another one on a busy machine. */
const TAKES_OVER_MS = 30_000;
/** When that lease would expire at the earliest: it is renewed every 2 s. */
const EXPIRES_MS = 13_000;

/** All servers that were started and not yet stopped. */
const servers: ServerProcess[] = [];
let running: ServerProcess[] = [];

const database = forAllTests(() => createTestDatabase());
beforeAll(async () => {
  await Promise.all([start(), start()]);
});
afterAllTests(async () => {
  await Promise.all(servers.map((server) => server.stop()));
});

async function start(): Promise<ServerProcess> {
  const server = await startServerProcess({ databaseUrl: database.url });
  servers.push(server);
  running.push(server);
  return server;
}

const ACTS = 'this replica runs the elected controllers';
const acting = (): ServerProcess[] => running.filter((server) => server.output().includes(ACTS));

/** When a replica began to act, by its log. */
function actsSince(server: ServerProcess): number {
  const line = server
    .output()
    .split('\n')
    .find((each) => each.includes(ACTS));
  return Date.parse((JSON.parse(line ?? '{}') as { time: string }).time);
}

/** Takes the one acting replica out of the list and returns it. */
function takeActing(): ServerProcess {
  const [server, ...others] = acting();
  if (!server || others.length > 0) throw new Error(`${acting().length} replicas act`);
  running = running.filter((other) => other !== server);
  return server;
}

/** Creates a candidate that counts as fresh for an hour. */
async function stand(server: ServerProcess, name: string): Promise<void> {
  const renewTime = new Date(Date.now() + 3_600_000).toISOString().replace('Z', '000Z');
  const spec = {
    leaseName: `lock-${name}`,
    binaryVersion: '1.0.0',
    emulationVersion: '1.0.0',
    strategy: 'OldestEmulationVersion',
    renewTime,
  };
  const url = `${server.url}${COORDINATION}/v1beta1/namespaces/default/leasecandidates`;
  const { status, text } = await ask(url, { method: 'POST', body: { metadata: { name }, spec } });
  if (status !== 201) throw new Error(text);
}

interface Elected {
  readonly spec: { readonly holderIdentity: string; readonly renewTime: string };
}

/** The lease that the acting replica has created for a candidate. */
function elected(server: ServerProcess, name: string): Promise<Elected> {
  return eventually(
    async () => {
      const { status, json } = await ask(`${server.url}${COORDINATION}/v1/namespaces/default/leases/lock-${name}`);
      return status === 200 ? (json as unknown as Elected) : undefined;
    },
    () => `no lease for ${name}:\n${servers.map((each) => each.output()).join('\n')}`,
  );
}

test('one of two replicas acts; when it is killed, the other takes over once its lease has expired', async () => {
  await eventually(
    () => acting()[0],
    () => 'no replica acts',
  );
  const first = takeActing();
  const [second] = running as [ServerProcess];
  await stand(second, 'before');
  expect((await elected(second, 'before')).spec.holderIdentity).toBe('before');
  expect(acting()).toEqual([]);

  const killedAt = Date.now();
  await first.kill();
  await stand(second, 'after');
  const { spec } = await elected(second, 'after');
  expect(spec.holderIdentity).toBe('after');
  expect(Date.parse(spec.renewTime) - killedAt).toBeLessThan(TAKES_OVER_MS);
  await eventually(() => acting()[0] === second);
});

test('a joining replica leaves the acting one alone, and takes over at once when that one shuts down', async () => {
  const joined = await start();
  await stand(joined, 'joined');
  await elected(joined, 'joined');
  const leading = takeActing();
  expect(leading).not.toBe(joined);

  leading.signal('SIGTERM');
  const stoppedAt = Date.now();
  await stand(joined, 'next');
  await elected(joined, 'next');
  await eventually(() => acting()[0] === joined);
  expect(actsSince(joined) - stoppedAt).toBeLessThan(EXPIRES_MS);
});
