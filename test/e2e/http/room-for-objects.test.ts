import { beforeAll, describe, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { type Ask, ask as askUrl } from '../../support/http-client.js';
import { eventually } from '../../support/eventually.js';
import { grant } from '../../support/rights.js';
import { metricSum, scrape } from '../../support/scrape.js';
import { type ServerProcess, startServerProcess } from '../../support/server-process.js';
import { createTestDatabase } from '../../support/test-database.js';
import { runCommand } from '../cli/run-command.js';

const KIB = 1024;
const LIMITS = [`--max-bytes=${512 * KIB}`, `--max-event-bytes=${256 * KIB}`];
const TOKENS = ['admin-token,admin,admin,"system:masters"', 'kubelet-token,kubelet,kubelet', 'elector-token,elector,elector'];
const leases = (namespace: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
const events = (namespace: string) => `/api/v1/namespaces/${namespace}/events`;
const NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

const database = forAllTests(() => createTestDatabase());
const flags = ['--authorization-mode=RBAC', ...LIMITS];
const first = forAllTests(() => startServerProcess({ tokens: TOKENS, flags, databaseUrl: database.url }));
const second = forAllTests(() => startServerProcess({ tokens: TOKENS, flags, databaseUrl: database.url }));

const ask = (server: ServerProcess, path: string, user: string, options: Ask = {}) =>
  askUrl(`${server.url}${path}`, { ...options, headers: { authorization: `Bearer ${user}-token` } });
const event = (namespace: string, size: number) => ({
  metadata: { generateName: 'e-', namespace },
  involvedObject: { namespace },
  message: 'x'.repeat(size),
});
const lease = (name: string, holder: string, size = 0) => ({
  metadata: { name, annotations: { filler: 'x'.repeat(size) } },
  spec: { holderIdentity: holder, leaseDurationSeconds: 15 },
});

/** Patches a lease in the namespace default. */
const hold = (server: ServerProcess, name: string, user: string, holder: string, size: number) =>
  askUrl(`${server.url}${leases('default')}/${name}`, {
    method: 'PATCH',
    body: lease(name, holder, size),
    headers: { authorization: `Bearer ${user}-token`, 'content-type': 'application/merge-patch+json' },
  });

/** Writes until a write is refused; answers how many were not, and the message. */
async function fill(write: (at: number) => ReturnType<typeof ask>): Promise<readonly [number, string]> {
  for (let at = 0; at < 1000; at++) {
    const { status, json } = await write(at);
    if (status === 403) return [at, json.message ?? ''];
    expect(status).toBe(201);
  }
  throw new Error('nothing was refused');
}

beforeAll(async () => {
  await grant(first.url, 'kubelet', [{ apiGroups: [''], resources: ['events'], verbs: ['create'] }]);
  await grant(first.url, 'elector', [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'patch'] }]);
  await ask(first, leases('default'), 'elector', { method: 'POST', body: lease('held', 'a') });
});

describe('one user with Events in every namespace, at two servers', () => {
  test('has at most three quarters of the room for Events, as all servers count, and other users have the rest', async () => {
    const servers = [first, second];
    const [count, message] = await fill(async (at) => {
      const [here, other] = at % 2 === 0 ? servers : servers.toReversed();
      const answer = await ask(here!, events(NAMESPACES[at % 4]!), 'kubelet', {
        method: 'POST',
        body: event(NAMESPACES[at % 4]!, 4 * KIB),
      });
      await eventually(
        async () =>
          (await metricSum(other!.url, 'coordination_quota_bytes', 'kind="events"')) ===
          (await metricSum(here!.url, 'coordination_quota_bytes', 'kind="events"')),
      );
      return answer;
    });
    expect(count).toBeGreaterThan(35);
    expect(count).toBeLessThan(48);
    expect(message).toMatch(
      /^events "e-\w+" is forbidden: exceeded quota: \d+ of at most 262144 bytes of events are used by user "kubelet"/,
    );
    const admin = await ask(second, events('default'), 'admin', { method: 'POST', body: event('default', 4 * KIB) });
    expect(admin.status).toBe(201);
  });

  test('takes no room of leases: they are created, taken over and renewed', async () => {
    for (const server of [first, second]) {
      const created = await ask(server, leases('default'), 'elector', { method: 'POST', body: lease(`new-${server.port}`, 'a', 4 * KIB) });
      expect(created.status).toBe(201);
      const taken = await hold(server, 'held', 'elector', `b-${server.port}`, 100);
      expect(taken.status).toBe(200);
    }
  });

  test('is named by the metrics of the server that refused it, and by doctor', async () => {
    const refusals = [first, second].map(({ url }) => metricSum(url, 'coordination_quota_refusals_total', 'kind="events"', 'scope="user"'));
    expect((await Promise.all(refusals)).toSorted()).toEqual([0, 1]);
    const largest = await Promise.all(
      [first, second].map(({ url }) => scrape(url, 'coordination_quota_largest_bytes{kind="events",scope="user"')),
    );
    expect(largest.flat().join()).toContain('owner="kubelet"');
    const { stdout } = await runCommand(['doctor', '--database-url', database.url, '--data-dir', first.dataDir, ...LIMITS]);
    expect(stdout).toMatch(/room for Events +warning +\d+ KiB of 256 KiB are used, .* the user who created \S+ has 1\d\d KiB/);
    expect(stdout).toMatch(/room for objects other than Events +ok +\d+ KiB of 512 KiB are used/);
  });
});

test('a namespace that is full can renew, shrink and delete its leases, and those of others can be created', async () => {
  const [, message] = await fill((at) =>
    ask(first, leases('default'), 'admin', { method: 'POST', body: lease(`many-${at}`, 'a', 16 * KIB) }),
  );
  expect(message).toMatch(
    /bytes of objects are used in namespace "default", and no namespace or user may have more than three times what is left/,
  );
  const put = (name: string, holder: string, size: number) => hold(first, name, 'admin', holder, size);
  expect((await put('many-0', 'b', 16 * KIB)).status).toBe(200);
  expect((await put('many-0', 'b', 40 * KIB)).status).toBe(403);
  expect((await put('held', 'a-much-longer-name-than-before', 100)).status).toBe(200);
  const elsewhere = await ask(first, leases('kube-system'), 'elector', { method: 'POST', body: lease('new', 'a') });
  expect(elsewhere.status).toBe(201);
  expect((await put('many-0', 'b', 1)).status).toBe(200);
  expect((await put('many-1', 'b', 17 * KIB)).status).toBe(200);
  const refused = '/apis/history.coordination-apiserver.dev/v1/namespaces/default/refusedrequests';
  expect((await ask(first, refused, 'admin')).text).toContain('"cause":"QuotaExceeded"');
});
