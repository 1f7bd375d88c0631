import type { Subject } from '../contenders/contender.js';
import { USER_TOKEN } from '../contenders/own-server.js';
import { LeaseClient } from '../load/lease-client.js';
import { createNamespace } from '../load/prepare-leases.js';

const NAMESPACE = 'bench-access';
const BINDINGS = 5000;
const OWN = 50;
const AT_ONCE = 64;
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';

/** Creates 5,000 role bindings, 50 of them for the user; the last of those allows access to leases. Returns a client of that user. */
export async function prepareAccess({ url, token }: Subject): Promise<LeaseClient> {
  const admin = new LeaseClient({ url, token, namespace: NAMESPACE }, 16);
  await createNamespace(admin, NAMESPACE);
  await admin.create(`${RBAC}/clusterroles`, role('reader', ['things']));
  await admin.create(`${RBAC}/clusterroles`, role('renewer', ['leases']));
  for (let start = 0; start < BINDINGS; start += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, BINDINGS - start) }, (_, at) => start + at);
    await Promise.all(numbers.map((at) => admin.create(`${RBAC}/namespaces/${NAMESPACE}/rolebindings`, binding(at))));
  }
  admin.close();
  return new LeaseClient({ url, token: USER_TOKEN, namespace: NAMESPACE }, 16);
}

function role(name: string, resources: string[]): object {
  const rules = [{ verbs: ['*'], apiGroups: ['coordination.k8s.io'], resources }];
  return { apiVersion: `${GROUP}/v1`, kind: 'ClusterRole', metadata: { name }, rules };
}

function binding(at: number): object {
  const own = at % (BINDINGS / OWN) === 0;
  const last = at === BINDINGS - BINDINGS / OWN;
  return {
    apiVersion: `${GROUP}/v1`,
    kind: 'RoleBinding',
    metadata: { name: `binding-${at}` },
    subjects: [{ kind: last ? 'Group' : 'User', apiGroup: GROUP, name: last ? 'system:authenticated' : own ? 'ann' : `user-${at}` }],
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: last ? 'renewer' : 'reader' },
  };
}
