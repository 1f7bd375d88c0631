import { LeaseClient } from './lease-client.js';
import type { ServerUnderTest } from './server-under-test.js';
import { USER_TOKEN } from './server-under-test.js';

const NAMESPACE = 'bench-access';
const BINDINGS = 5000;
const OWN = 50;
const AT_ONCE = 64;
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';

/** Makes 5,000 role bindings, 50 of them the user's, the last of which lets him at leases; answers a client of that user. */
export async function prepareAccess({ url, token }: ServerUnderTest): Promise<LeaseClient> {
  const admin = new LeaseClient(url, token, NAMESPACE, 16);
  const create = async (path: string, object: object): Promise<void> => {
    const { status, body } = await admin.send('POST', path, JSON.stringify(object));
    if (status !== 201) throw new Error(`${path}: ${status} ${body.slice(0, 300)}`);
  };
  await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await create(`${RBAC}/clusterroles`, role('reader', ['things']));
  await create(`${RBAC}/clusterroles`, role('renewer', ['leases']));
  for (let start = 0; start < BINDINGS; start += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, BINDINGS - start) }, (_, at) => start + at);
    await Promise.all(numbers.map((at) => create(`${RBAC}/namespaces/${NAMESPACE}/rolebindings`, binding(at))));
  }
  admin.close();
  return new LeaseClient(url, USER_TOKEN, NAMESPACE, 16);
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
