import { expect, test } from '@jest/globals';
import type { KubeObject } from '../../kube/kube-object.js';
import { checkPlacement, databaseHostNames } from './check-database.js';

const service = (name: string, more: object = {}): KubeObject => ({ metadata: { namespace: 'data', name, ...more } });
const ELECTED = { labels: { 'cnpg.io/cluster': 'leases' } };

/** A cluster that answers these paths, and 404 to all others. */
const clusterWith = (answers: Record<string, KubeObject>) => ({
  ask: (_: string, path: string) =>
    Promise.resolve(answers[path] ? { status: 200, body: answers[path] } : { status: 404, body: { message: 'not found' } }),
});
const ADDRESSES: Record<string, string[]> = { 'db.example.org': ['192.0.2.1'], 'db.data': ['10.96.3.4'], 'lb.example.org': ['192.0.2.9'] };
const resolve = (host: string) => {
  const known = ADDRESSES[host];
  return known ? Promise.resolve(known) : Promise.reject(new Error(`no address: ${host}`));
};
const check = (hosts: string[], answers: Record<string, KubeObject> = {}) =>
  checkPlacement({ cluster: clusterWith(answers), hosts, resolve });

const CIDRS = { '/apis/networking.k8s.io/v1/servicecidrs': { items: [{ spec: { cidrs: ['10.96.0.0/16', 'fd00:96::/112'] } }] } };
const of = (path: string, ...items: KubeObject[]) => ({ [path]: { items } });
const BY_IP = '/api/v1/services?fieldSelector=spec.clusterIP%3D';
const PODS = '/api/v1/pods?fieldSelector=status.podIP%3D';
const LABELLED = '/api/v1/services?labelSelector=cnpg.io%2Fcluster';

test('a database outside the cluster passes, also if it cannot be resolved here', async () => {
  expect(await check(['db.example.org', 'nowhere.example.org', '192.0.2.7'], CIDRS)).toMatchObject({ check: 'database', state: 'ok' });
});

const CIRCLES: [string, string, Record<string, KubeObject>, string][] = [
  [
    'the name of a Service',
    'db.data.svc',
    { '/api/v1/namespaces/data/services/db': service('db') },
    'db.data.svc is a Service of the cluster;',
  ],
  [
    'the name of a pod behind a Service',
    'db-0.db.data.svc.cluster.local',
    { '/api/v1/namespaces/data/services/db': service('db') },
    'is a Service of the cluster',
  ],
  [
    'a Service of CloudNativePG',
    'db-rw.data.svc',
    { '/api/v1/namespaces/data/services/db-rw': service('db-rw', ELECTED) },
    'of CloudNativePG, which elects its primary by a lease',
  ],
  ["another name of the cluster's DNS", '10-0-0-1.data.pod.cluster.local', {}, "is a name of a cluster's own DNS"],
  ['a short name', 'db.data', of(`${BY_IP}10.96.3.4`, service('db')), 'db.data (10.96.3.4) is the Service data/db of the cluster'],
  ['the address of a Service', '10.96.3.4', of(`${BY_IP}10.96.3.4`, service('db')), '10.96.3.4 is the Service data/db of the cluster'],
  [
    'the address of a pod',
    '10.0.0.7',
    of(`${PODS}10.0.0.7`, service('db-1', ELECTED)),
    'is the pod data/db-1 of the cluster, of CloudNativePG',
  ],
  ['an address in the range of Services', '10.96.9.9', CIDRS, "10.96.9.9 is in the range of the cluster's Services"],
  ['an IPv6 address in the range of Services', 'fd00:96::5', CIDRS, "is in the range of the cluster's Services"],
  [
    'a load balancer of CloudNativePG',
    'lb.example.org',
    of(LABELLED, { ...service('db-rw', ELECTED), status: { loadBalancer: { ingress: [{ ip: '192.0.2.9' }] } } }),
    'lb.example.org (192.0.2.9) is the Service data/db-rw of the cluster, of CloudNativePG',
  ],
];

test.each(CIRCLES)('%s is a circle', async (_, host, answers, detail) => {
  const found = await check(['db.example.org', host], answers);
  expect(found).toMatchObject({ check: 'database', state: 'problem' });
  expect(found.detail).toContain(detail);
  expect(found.detail).toContain('use a PostgreSQL that neither runs in the cluster nor elects its primary through it');
});

test('a Service of another cluster passes', async () => {
  expect(await check(['db.data.svc'])).toMatchObject({ state: 'ok' });
});

test('a name that the cluster does not let this user look up counts as its Service', async () => {
  const cluster = { ask: () => Promise.resolve({ status: 403, body: { message: 'forbidden' } }) };
  expect(await checkPlacement({ cluster, hosts: ['db.data.svc'], resolve })).toMatchObject({ state: 'problem' });
});

test('a database whose place this user may not look up is a warning', async () => {
  const cluster = { ask: () => Promise.resolve({ status: 403, body: { message: 'forbidden' } }) };
  expect(await checkPlacement({ cluster, hosts: ['db.example.org'], resolve })).toMatchObject({ state: 'warning' });
});

test('an unknown database and CloudNativePG beside another database are warnings', async () => {
  expect(await check([])).toMatchObject({ state: 'warning', detail: expect.stringContaining('unknown') });
  expect(await check(['db.example.org'], of(LABELLED, service('other', ELECTED)))).toMatchObject({ state: 'warning' });
});

test.each([
  ['postgresql://u:p@db.example.org:5432/leases', ['db.example.org']],
  ['postgresql://u:p%40x@one:5432,two:5433/leases?sslmode=require', ['one', 'two']],
  ['postgresql://u@[fd00::5]:5432/leases', ['fd00::5']],
  ['postgresql://u@10.96.3.4/leases', ['10.96.3.4']],
  ['postgresql:///leases?host=db.data.svc', ['db.data.svc']],
  ['postgresql:///leases?host=/run/postgresql', []],
  ['postgresql://u@%2Frun%2Fpostgresql/leases', []],
  ['postgresql:///leases', []],
])('%s names %j', (url, hosts) => {
  expect(databaseHostNames(url, {})).toEqual(hosts);
});

test('without a URL the hosts are those of PGHOST', () => {
  expect(databaseHostNames('', { PGHOST: 'one,two' })).toEqual(['one', 'two']);
  expect(databaseHostNames('', { PGHOST: '/run/postgresql' })).toEqual([]);
  expect(databaseHostNames('', {})).toEqual([]);
});
