import type { Random } from '../../../fuzz/random.js';
import type { Identity, Plain, Question } from '../../question.js';
import { asked, LEASES, MERGE, within } from './asked.js';

const RBAC = 'rbac.authorization.k8s.io';
const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
const COORDINATION = 'coordination.k8s.io';
const RULES: readonly Plain[] = [
  { apiGroups: [COORDINATION], resources: ['leases'], verbs: ['get'] },
  { apiGroups: [COORDINATION], resources: ['leases', 'leasecandidates'], verbs: ['*'] },
  { apiGroups: [COORDINATION], resources: ['leases'], resourceNames: ['a'], verbs: ['get', 'update'] },
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
  { apiGroups: [COORDINATION], resources: ['leases/status'], verbs: ['get'] },
  { apiGroups: ['x<y'], resources: ['*/scale'], verbs: ['get'] },
];
const SUBJECTS: readonly Plain[] = [
  { kind: 'User', name: 'editor' },
  { kind: 'Group', name: 'dev' },
  { kind: 'ServiceAccount', name: 'a', namespace: '{{ns}}' },
  { kind: 'User', apiGroup: RBAC, name: '<x>' },
];

/** Users who give themselves and others rights. */
export function escalation(random: Random, length: number): Question[] {
  const collection = within(`${RBAC}/v1`, 'roles');
  const bindings = within(`${RBAC}/v1`, 'rolebindings');
  return Array.from({ length }, (_, place) => {
    const identity = random.pick<Identity>(['editor', 'editor', 'admin', 'named', 'deputy', 'reader']);
    const name = random.pick(['a', 'b']);
    const rules = Array.from({ length: random.below(3) }, () => random.pick(RULES));
    if (place === 0) return asked('POST', collection, { body: { metadata: { name: 'a' }, rules } });
    return random.pick([
      () => asked('POST', collection, { identity, body: { metadata: { name }, rules } }),
      () => asked('PUT', `${collection}/${name}`, { identity, body: { metadata: { name }, rules } }),
      () => asked('PATCH', `${collection}/${name}`, { identity, contentType: MERGE, body: { rules } }),
      () =>
        asked('POST', bindings, { identity, body: { metadata: { name }, roleRef: roleRef(random), subjects: [random.pick(SUBJECTS)] } }),
      () => asked('PATCH', `${bindings}/${name}`, { identity, contentType: MERGE, body: { subjects: [random.pick(SUBJECTS)] } }),
      () => asked('PATCH', `${bindings}/${name}`, { identity, contentType: MERGE, body: { roleRef: roleRef(random) } }),
      () => asked('DELETE', `${random.pick([bindings, collection])}/${name}`, { identity }),
      () => asked('POST', `${AUTHORIZATION}/selfsubjectrulesreviews`, { identity, body: { spec: { namespace: '{{ns}}' } } }),
    ])();
  });
}

function roleRef(random: Random): Plain {
  return {
    apiGroup: RBAC,
    kind: random.pick(['Role', 'Role', 'ClusterRole']),
    name: random.pick(['a', 'b', 'view', 'cluster-admin', 'differential-reader', 'none']),
  };
}

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Odd<', ''];
const RAW = ['a=b', 'a in (b,c)', '!a', 'a', 'a b', '', 'metadata.name=x', 'a=b,c!=d', 'a==b', 'a>1'];

/** Access reviews with selectors, and lists that authorization sees with selectors. */
export function selectors(random: Random, length: number): Question[] {
  return Array.from({ length }, () => {
    const identity = random.pick<Identity>(['admin', 'editor', 'named', 'reader']);
    if (random.chance(0.25)) {
      const query: [string, string][] = [[random.pick(['fieldSelector', 'labelSelector']), random.pick([...RAW, 'metadata.name=a'])]];
      return asked(random.pick(['GET', 'GET', 'DELETE']), LEASES, { identity, query: [...query, ['watch', 'false']] });
    }
    const resourceAttributes = {
      verb: random.pick(['list', 'watch', 'deletecollection', 'get', '']),
      group: COORDINATION,
      resource: 'leases',
      namespace: '{{ns}}',
      ...(random.chance(0.7) ? { fieldSelector: selector(random) } : {}),
      ...(random.chance(0.5) ? { labelSelector: selector(random) } : {}),
    };
    const own = random.chance(0.4);
    const spec = { ...(own ? {} : { user: random.pick(['editor', 'named', 'reader']) }), resourceAttributes };
    return asked('POST', `${AUTHORIZATION}/${own ? 'self' : ''}subjectaccessreviews`, { identity, body: { spec } });
  });
}

function selector(random: Random): unknown {
  if (random.chance(0.05)) return random.pick([{}, null, 'x']);
  const requirement = () => ({
    key: random.pick(['a', 'metadata.name', 'b/c', '', 'a b']),
    operator: random.pick(OPERATORS),
    ...(random.chance(0.7) ? { values: random.pick<unknown>([['b'], ['b', 'c'], [], [''], null]) } : {}),
  });
  return {
    ...(random.chance(0.5) ? { rawSelector: random.pick(RAW) } : {}),
    ...(random.chance(0.6) ? { requirements: Array.from({ length: random.below(3) }, requirement) } : {}),
  };
}

const WANTED: readonly Readonly<Record<string, string>>[] = [
  { 'impersonate-user': 'editor' },
  { 'impersonate-user': 'reader' },
  { 'impersonate-user': 'editor', 'impersonate-group': 'dev' },
  { 'impersonate-user': 'editor', 'impersonate-group': 'system:masters' },
  { 'impersonate-user': 'editor', 'impersonate-uid': 'u' },
  { 'impersonate-user': 'editor', 'impersonate-extra-scopes': 'x' },
  { 'impersonate-user': 'system:serviceaccount:{{ns}}:a' },
  { 'impersonate-user': 'system:serviceaccount:kube-system:a' },
  { 'impersonate-user': 'system:node:n' },
  { 'impersonate-user': 'system:node:n', 'impersonate-group': 'system:nodes' },
  { 'impersonate-user': 'system:serviceaccount:a' },
  { 'impersonate-group': 'dev' },
  { 'impersonate-user': '' },
];

/** Users who may act as others for certain actions only. */
export function impersonation(random: Random, length: number): Question[] {
  return Array.from({ length }, () => {
    const identity = random.pick<Identity>(['agent', 'agent', 'deputy', 'admin', 'reader']);
    const headers = random.pick(WANTED);
    return random.pick([
      () => asked('GET', LEASES, { identity, headers }),
      () => asked('GET', `${LEASES}/a`, { identity, headers }),
      () => asked('POST', LEASES, { identity, headers, body: { metadata: { name: random.pick(['a', 'b']) } } }),
      () => asked('DELETE', `${LEASES}/a`, { identity, headers }),
      () => asked('GET', '/api/v1/namespaces/{{ns}}', { identity, headers }),
      () => asked('GET', '/version', { identity, headers }),
      () => asked('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { identity, headers, body: {} }),
      () => asked('GET', `${LEASES}/a/${random.pick(['log', 'exec', 'status', 'proxy'])}`, { identity, headers }),
    ])();
  });
}
