import type { Random } from '../../../fuzz/random.js';
import type { Plain, Question } from '../../question.js';
import { APPLY, asked, LEASES, lease, MERGE, within } from './asked.js';

const NAMESPACE = '/api/v1/namespaces/{{ns}}';
const HELD = ['kubernetes', 'example.com/hold'];

/** A namespace that is being deleted: what may still be written in it, to it and to its subresources. */
export function terminating(random: Random, length: number): Question[] {
  const deleted = random.below(4) + 1;
  return Array.from({ length }, (_, place) => (place === deleted ? asked('DELETE', NAMESPACE) : some(random)));
}

function some(random: Random): Question {
  const identity = random.pick(['admin', 'admin', 'editor'] as const);
  return random.pick([inside, inside, inside, itself, finalize, status, read])(random, identity);
}

type Maker = (random: Random, identity: Question['identity']) => Question;

const inside: Maker = (random, identity) => {
  const name = random.pick(['a', 'b']);
  const query: Question['query'] = random.chance(0.2) ? [['dryRun', 'All']] : [];
  const role = { metadata: { name }, rules: [] };
  return random.pick([
    () => asked('POST', LEASES, { identity, query, body: lease(name, random.chance(0.3) ? { spec: { strategy: '<' } } : {}) }),
    () => asked('POST', within('v1', 'serviceaccounts'), { identity, query, body: { metadata: { name } } }),
    () => asked('POST', within('rbac.authorization.k8s.io/v1', 'roles'), { identity, query, body: role }),
    () => asked('POST', within('v1', 'events'), { identity, query, body: { metadata: { name }, involvedObject: { namespace: '{{ns}}' } } }),
    () => asked('PUT', `${LEASES}/${name}`, { identity, query, body: lease(name) }),
    () =>
      asked('PATCH', `${LEASES}/${name}`, {
        identity,
        query: [...query, ['fieldManager', 'm1']],
        contentType: APPLY,
        body: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...lease(name) },
      }),
    () =>
      asked('PATCH', `${LEASES}/${name}`, {
        identity,
        query,
        contentType: MERGE,
        body: { metadata: { finalizers: random.pick([['example.com/f'], null]) } },
      }),
    () => asked('DELETE', `${LEASES}/${name}`, { identity, query }),
    () => asked('POST', `${within('v1', 'serviceaccounts')}/a/token`, { identity, body: { spec: {} } }),
  ])();
};

const itself: Maker = (random, identity) =>
  random.pick([
    () =>
      asked('DELETE', NAMESPACE, {
        identity,
        body: random.pick<Plain>([{}, { propagationPolicy: 'Foreground' }, { preconditions: { uid: 'x' } }]),
      }),
    () => asked('PATCH', NAMESPACE, { identity, contentType: MERGE, body: { metadata: { labels: { app: 'x' } } } }),
    () =>
      asked('PATCH', NAMESPACE, {
        identity,
        contentType: MERGE,
        body: { metadata: { finalizers: random.pick([['example.com/f'], [], null]) } },
      }),
    () => asked('PATCH', NAMESPACE, { identity, contentType: MERGE, body: { spec: { finalizers: random.pick([HELD, []]) } } }),
    () => asked('POST', '/api/v1/namespaces', { identity, body: { metadata: { name: '{{ns}}' } } }),
  ])();

const finalize: Maker = (random, identity) => {
  const finalizers = random.pick<unknown>([HELD, ['kubernetes'], ['plain'], ['<>/x'], null]);
  return asked('PUT', `${NAMESPACE}/finalize`, { identity, body: { metadata: { name: '{{ns}}' }, spec: { finalizers } } });
};

const status: Maker = (random, identity) => {
  const phase = random.pick(['Active', 'Terminating', '<Odd>', '']);
  const value = { phase, conditions: random.pick<unknown>([[], [{ type: 'A', status: 'True' }]]) };
  if (random.chance(0.5)) return asked('PUT', `${NAMESPACE}/status`, { identity, body: { metadata: { name: '{{ns}}' }, status: value } });
  return asked('PATCH', `${NAMESPACE}/status`, { identity, contentType: MERGE, body: { status: value } });
};

const read: Maker = (random, identity) =>
  asked('GET', random.pick([NAMESPACE, `${NAMESPACE}/status`, LEASES, '/api/v1/namespaces']), {
    identity,
    query: [['fieldSelector', random.pick(['metadata.name={{ns}}', 'metadata.name={{ns}},status.phase=Terminating'])]].slice(
      random.below(2),
    ) as [string, string][],
  });
