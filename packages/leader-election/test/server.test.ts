import path from 'node:path';
import { CoordinationV1Api, CoordinationV1beta1Api, KubeConfig } from '@kubernetes/client-node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { type ServerProcess, startServerProcess } from '../../../test/support/server-process.js';
import { kubeConfigConnection, leaseCandidatesOfApi, leasesOfApi } from '../src/client-node.js';
import {
  type LeaseCandidateClient,
  type LeaseClient,
  CoordinationClient,
  KubernetesError,
} from '../../kube-client/src/coordination-client.js';
import { fetchTransport } from '../../kube-client/src/transport.js';
import { httpsTransport } from '../../kube-client/src/https-transport.js';
import { LeaderElector } from '../src/leader-elector.js';
import type { LeaderElectorOptions } from '../src/elector-options.js';
import type { LeadershipTerm, TermEndedError } from '../src/leadership-term.js';
import { apiAccess } from './support/api-access.js';

const never = new AbortController().signal;
const ways = ['https', 'kubeconfig', 'client-node', 'fetch'] as const;

let server: ServerProcess;
let clients: Record<(typeof ways)[number], { leases: LeaseClient; leaseCandidates: LeaseCandidateClient }>;
let abort = new AbortController();
let campaigns: Promise<void>[] = [];

beforeAll(async () => {
  server = await startServerProcess();
  const access = await apiAccess(server);
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(path.join(server.dataDir, 'admin.kubeconfig'));
  // Stands for a fetch that trusts the authority.
  const direct = httpsTransport(access);
  const fetchByHttps = async (url: string, { method, body, signal }: { method: 'GET'; body?: string; signal: AbortSignal }) => {
    const response = await direct({ method, body, signal, path: url.slice(access.server.length) });
    return { status: response.status, body: response.body };
  };
  clients = {
    https: new CoordinationClient(httpsTransport(access)),
    kubeconfig: new CoordinationClient(httpsTransport(kubeConfigConnection(kubeConfig))),
    'client-node': {
      leases: leasesOfApi(kubeConfig.makeApiClient(CoordinationV1Api)),
      leaseCandidates: leaseCandidatesOfApi(kubeConfig.makeApiClient(CoordinationV1beta1Api)),
    },
    fetch: new CoordinationClient(fetchTransport({ server: access.server, token: access.token, fetch: fetchByHttps as never })),
  };
});
afterEach(async () => {
  abort.abort();
  await Promise.all(campaigns);
  abort = new AbortController();
  campaigns = [];
});
afterAll(() => server.stop());

const quick = { namespace: 'default', leaseDuration: 3_000, renewDeadline: 2_000, retryPeriod: 200, releaseOnCancel: true };

/** Leads in the background until the test ends. */
function contend(options: Pick<LeaderElectorOptions, 'client' | 'name'> & Partial<LeaderElectorOptions>) {
  const terms: LeadershipTerm[] = [];
  const errors: unknown[] = [];
  const elector = new LeaderElector({ ...quick, onError: (error) => errors.push(error), ...options });
  const { signal } = abort;
  const done = (async () => {
    for await (const term of elector.terms(signal)) terms.push(term);
  })();
  campaigns.push(done);
  const term = () =>
    eventually(
      () => terms[0],
      () => `no term: ${errors.map(String).join('\n')}`,
    );
  return { elector, done, errors, term, terms };
}

describe.each(ways)('through %s', (way) => {
  test('a lease is held, renewed, released, and taken by another with a greater token', async () => {
    const { leases } = clients[way];
    const name = `held-${way}`;
    const first = contend({ client: leases, name });
    const term = await first.term();
    const acquired = await leases.get('default', name, never);
    const second = contend({ client: leases, name });
    await eventually(
      async () => {
        const current = await leases.get('default', name, never);
        return current?.spec?.renewTime !== acquired?.spec?.renewTime;
      },
      () => 'it is not renewed',
    );
    const renewed = await leases.get('default', name, never);
    expect(renewed?.spec?.acquireTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(renewed?.spec).toMatchObject({ holderIdentity: first.elector.identity, acquireTime: acquired?.spec?.acquireTime });
    term.resign();
    const next = await eventually(
      () => second.terms[0] ?? first.terms[1],
      () => 'nobody follows',
    );
    expect(next.fencingToken).toBeGreaterThan(term.fencingToken);
    expect(first.errors).toEqual([]);
  });

  test('a missing object is undefined, and a stale version is a conflict', async () => {
    const { leases, leaseCandidates } = clients[way];
    expect(await leases.get('default', 'none', never)).toBeUndefined();
    expect(await leaseCandidates.get('default', 'none', never)).toBeUndefined();
    const lease = await leases.create({ metadata: { namespace: 'default', name: `stale-${way}` }, spec: { holderIdentity: 'x' } }, never);
    await leases.update({ ...lease, spec: { holderIdentity: 'y' } }, never);
    const error = await leases.update({ ...lease, spec: { holderIdentity: 'z' } }, never).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(KubernetesError);
    expect(error).toMatchObject({ status: 409, message: expect.stringContaining('the object has been modified') });
  });
});

test.each(['https', 'client-node'] as const)(
  'coordinated through %s: the controller elects, and hands over to an older one',
  async (way) => {
    const { leases, leaseCandidates } = clients[way];
    const name = `coordinated-${way}`;
    const versions = (emulationVersion: string) => ({ client: leaseCandidates, binaryVersion: '1.4.0', emulationVersion });
    const newer = contend({ client: leases, name, identity: `${way}-newer`, coordinated: versions('1.4.0') });
    const term = await newer.term();
    const older = contend({ client: leases, name, identity: `${way}-older`, coordinated: versions('1.3.0') });
    const next = await older.term();
    expect((term.signal.reason as TermEndedError).why).toBe('end-of-term');
    expect(next.fencingToken).toBeGreaterThan(term.fencingToken);
    const candidate = await leaseCandidates.get('default', `${way}-newer`, never);
    expect(candidate?.spec).toMatchObject({ leaseName: name, binaryVersion: '1.4.0', strategy: 'OldestEmulationVersion' });
    abort.abort();
    await Promise.all([newer.done, older.done]);
  },
  90_000,
);

test('refused requests are reported and retried', async () => {
  const { errors } = contend({ client: clients.https.leases, name: 'Not A Name' });
  await eventually(
    () => errors[1],
    () => 'no second error',
  );
  expect(errors[0]).toMatchObject({ name: 'KubernetesError', status: 422, reason: 'Invalid' });
});
