import { ALL_AUTHENTICATED, ALL_UNAUTHENTICATED } from '../../auth/authentication/authenticator.js';
import { parseQuery } from '../request-info/query.js';
import { parseRequestInfo } from '../request-info/request-info.js';
import { parseRequestUrl, ROOT_URL } from '../request-info/request-url.js';
import { FLOW_SCHEMAS } from './flow-schemas.js';

const COORDINATION = '/apis/coordination.k8s.io/v1';
const LEASE = `${COORDINATION}/namespaces/kube-system/leases/a`;

function schemaOf(name: string, groups: readonly string[], method: string, target: string): string | undefined {
  const url = parseRequestUrl(target) ?? ROOT_URL;
  const info = parseRequestInfo(method, url, () => parseQuery(url.rawQuery));
  return FLOW_SCHEMAS.find((schema) => schema.matches({ name, uid: '', groups, extra: {} }, info))?.name;
}

const known = (...groups: string[]) => [...groups, ALL_AUTHENTICATED];
const ACCOUNT = known('system:serviceaccounts');

test.each<[string, readonly string[], string, string, string]>([
  ['admin', known('system:masters'), 'PUT', LEASE, 'exempt'],
  ['alice', known(), 'GET', '/livez', 'probes'],
  ['system:anonymous', [ALL_UNAUTHENTICATED], 'GET', '/readyz/ping', 'probes'],
  ['alice', known(), 'GET', '/readyzz', 'global-default'],
  ['alice', known(), 'POST', '/livez', 'global-default'],
  ['system:kube-scheduler', known(), 'PUT', LEASE, 'system-leader-election'],
  ['system:serviceaccount:kube-system:x', ACCOUNT, 'GET', LEASE, 'system-leader-election'],
  ['system:serviceaccount:kube-system:x', ACCOUNT, 'DELETE', LEASE, 'kube-system-service-accounts'],
  ['system:serviceaccount:kube-systems:x', ACCOUNT, 'DELETE', LEASE, 'service-accounts'],
  ['system:node:a', known('system:nodes'), 'DELETE', LEASE, 'system-node-high'],
  ['system:node:a', known('system:nodes'), 'GET', `${COORDINATION}/leases`, 'system-nodes'],
  ['system:node:a', known('system:nodes'), 'PATCH', '/api/v1/nodes/a/status', 'system-node-high'],
  ['system:kube-controller-manager', known(), 'GET', `${COORDINATION}/leases?watch=1`, 'kube-controller-manager'],
  ['system:kube-scheduler', known(), 'GET', '/version', 'kube-scheduler'],
  ['alice', known(), 'PATCH', LEASE, 'lease-holders'],
  ['alice', known(), 'POST', `${COORDINATION}/namespaces/a/leasecandidates`, 'lease-holders'],
  ['alice', known(), 'GET', `${COORDINATION}/namespaces/a/leases`, 'global-default'],
  ['alice', known(), 'DELETE', LEASE, 'global-default'],
  ['system:anonymous', [ALL_UNAUTHENTICATED], 'PUT', LEASE, 'global-default'],
  ['system:serviceaccount:a:b', ACCOUNT, 'GET', `${COORDINATION}/leases`, 'service-accounts'],
  ['impersonated', [], 'GET', '/version', 'catch-all'],
])('%s of %j: %s %s matches schema %s', (name, groups, method, target, schema) => {
  expect(schemaOf(name, groups, method, target)).toBe(schema);
});
