import type { Random } from '../../../fuzz/random.js';
import type { Plain, Question } from '../../question.js';
import { APPLY, asked, MERGE, within } from './asked.js';

/** An object whose lists several managers apply. */
interface Applied {
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Values of each field; an absent field is given up. */
  readonly fields: Readonly<Record<string, readonly unknown[]>>;
}

const FINALIZERS = [['example.com/f'], ['example.com/f', 'example.com/g'], ['example.com/g'], [], null];
const LABELS = [{ a: '1' }, { a: '2' }, { b: '1' }, { a: '1', b: '1' }, {}, null, { a: null }];
const OWNERS = [
  [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }],
  [{ apiVersion: 'v1', kind: 'Node', name: 'm', uid: 'u' }],
  [{ uid: 'w' }],
  [{}],
];
const CONDITIONS = [
  [{ type: 'A', status: 'True' }],
  [{ type: 'A', status: 'False', message: 'm' }],
  [
    { type: 'B', status: 'True' },
    { type: 'A', status: 'True' },
  ],
  [{}],
  [{ status: 'True' }],
  [{ type: null }],
  [],
  null,
];
const META = { 'metadata.finalizers': FINALIZERS, 'metadata.labels': LABELS, 'metadata.ownerReferences': OWNERS };

const candidate = (version: string): Applied => ({
  path: within(`coordination.k8s.io/${version}`, 'leasecandidates'),
  apiVersion: `coordination.k8s.io/${version}`,
  kind: 'LeaseCandidate',
  name: 'a',
  fields: {
    ...META,
    spec: [
      { leaseName: 'l', binaryVersion: '1.36.0', emulationVersion: '1.35.0', strategy: 'OldestEmulationVersion' },
      { leaseName: 'l', binaryVersion: '1.36.0', strategy: 'OldestEmulationVersion' },
      { strategy: 'example.com/<own>' },
      { pingTime: '2024-01-02T03:04:05.000000Z' },
      null,
    ],
  },
});

const APPLIED: readonly (readonly Applied[])[] = [
  [
    {
      path: '/api/v1/namespaces',
      apiVersion: 'v1',
      kind: 'Namespace',
      name: '{{ns}}/status',
      fields: { 'status.conditions': CONDITIONS, 'status.phase': ['Active', '<Odd>'], 'metadata.labels': LABELS },
    },
    {
      path: '/api/v1/namespaces',
      apiVersion: 'v1',
      kind: 'Namespace',
      name: '{{ns}}',
      fields: { 'metadata.labels': LABELS, 'status.conditions': CONDITIONS },
    },
  ],
  [
    {
      path: within('v1', 'serviceaccounts'),
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      name: 'a',
      fields: {
        ...META,
        secrets: [[{ name: 's' }], [{ name: 's', uid: 'u' }, { name: 't' }], [{ name: null, uid: 'u' }], [{ uid: 'u' }], [], null],
        imagePullSecrets: [[{ name: 'p' }], [{}], []],
        automountServiceAccountToken: [true, false, null],
      },
    },
  ],
  [candidate('v1beta1'), candidate('v1alpha2')],
  [
    {
      path: within('rbac.authorization.k8s.io/v1', 'roles'),
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      name: 'a',
      fields: { ...META, rules: [[{ apiGroups: ['x'], resources: ['y'], verbs: ['get'] }], [], null] },
    },
  ],
  [
    {
      path: within('coordination.k8s.io/v1', 'leases'),
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      name: 'a',
      fields: {
        ...META,
        'spec.holderIdentity': ['me', 'you', null],
        'spec.strategy': ['a<b', 'OldestEmulationVersion'],
        'spec.leaseTransitions': [1, null],
      },
    },
  ],
];

/** Three managers apply parts of one object in turn, and now and then somebody writes it otherwise. */
export function applies(random: Random, length: number): Question[] {
  const objects = random.pick(APPLIED);
  return Array.from({ length }, () => {
    const object = random.pick(objects);
    if (random.chance(0.08)) return asked('GET', `${object.path}/${object.name}`);
    return random.chance(0.12) ? otherWrite(random, object) : apply(random, object);
  });
}

function apply(random: Random, object: Applied): Question {
  const query: [string, string][] = [['fieldManager', random.pick(['m1', 'm2', 'm3'])]];
  if (random.chance(0.5)) query.push(['force', 'true']);
  if (random.chance(0.05)) query.push(['dryRun', 'All']);
  const { path, apiVersion, kind, name } = object;
  const metadata = { name: name.replace('/status', '') };
  return asked('PATCH', `${path}/${name}`, {
    query,
    contentType: APPLY,
    body: { apiVersion, kind, metadata, ...some(random, object, metadata) },
  });
}

function otherWrite(random: Random, object: Applied): Question {
  const query: Question['query'] = [['fieldManager', random.pick(['m1', 'other'])]];
  return asked('PATCH', `${object.path}/${object.name}`, { query, contentType: MERGE, body: some(random, object, undefined) });
}

/** A configuration of some of the fields. */
function some(random: Random, { fields }: Applied, metadata: Plain | undefined): Plain {
  const made: Plain = metadata ? { metadata: { ...metadata } } : {};
  for (const [field, values] of Object.entries(fields)) {
    if (!random.chance(0.4)) continue;
    const [outer = '', inner] = field.split('.');
    const value = random.pick(values);
    made[outer] = inner === undefined ? value : { ...(made[outer] as Plain | undefined), [inner]: value };
  }
  return made;
}
