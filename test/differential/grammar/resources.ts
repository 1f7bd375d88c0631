import type { Plain } from '../question.js';

/** A resource that questions are about. */
export interface AskedResource {
  /** Path of its objects in the sequence's namespace, or of all objects of a cluster-scoped resource. */
  readonly collection: string;
  /** Path across namespaces; absent for a cluster-scoped resource. */
  readonly everywhere?: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Prefix of names that belong to the sequence; '' within its namespace. */
  readonly prefix: string;
  readonly weight: number;
  /** Whether its protobuf bodies can be encoded and decoded here. */
  readonly protobuf: boolean;
  readonly fields: readonly string[];
  readonly subresources: readonly string[];
  /** Fields of a correct object besides metadata. */
  readonly base: Plain;
  /** Optional values of correct objects, by path. */
  readonly options: readonly (readonly [string, readonly unknown[]])[];
}

const RBAC = 'rbac.authorization.k8s.io';
const TIMES = ['2024-01-02T03:04:05.000000Z', '2024-01-02T03:04:05.123456+02:00', '2031-01-02T03:04:05.999999Z'];
const RULE = { apiGroups: ['x.example.com'], resources: ['things'], verbs: ['get'] };
const ROLE_REF = { apiGroup: RBAC, kind: 'ClusterRole', name: 'view' };

const candidate = (version: string, weight: number): AskedResource => ({
  ...namespaced('coordination.k8s.io', version, 'leasecandidates', 'LeaseCandidate'),
  weight,
  protobuf: true,
  base: { spec: { leaseName: 'l', binaryVersion: '1.36.0', emulationVersion: '1.35.0', strategy: 'OldestEmulationVersion' } },
  options: [
    ['spec.pingTime', TIMES],
    ['spec.renewTime', TIMES],
    ['spec.binaryVersion', ['1.36.1', '2.0.0', '1.0']],
    ['spec.emulationVersion', ['1.36.0', '0.0.0', '', '3.0.0']],
    ['spec.strategy', ['example.com/own', '', 'Other', 'a/b/c']],
    ['spec.leaseName', ['m', '']],
  ],
});

const EVENT_FIELDS = ['reason', 'type', 'involvedObject.name', 'regarding.kind', 'source', 'reportingController', 'reportingComponent'];
const SERIES = [{ count: 3, lastObservedTime: TIMES[0] }, { count: 1 }, {}];
const ABOUT = { kind: 'Lease', namespace: '{{ns}}', name: 'a', apiVersion: 'coordination.k8s.io/v1' };

export const RESOURCES: readonly AskedResource[] = [
  {
    ...namespaced('coordination.k8s.io', 'v1', 'leases', 'Lease'),
    weight: 34,
    protobuf: true,
    base: { spec: { holderIdentity: 'me', leaseDurationSeconds: 15 } },
    options: [
      ['spec.renewTime', TIMES],
      ['spec.acquireTime', TIMES],
      ['spec.leaseTransitions', [0, 1, -1]],
      ['spec.leaseDurationSeconds', [1, 0, 40, -3]],
      ['spec.strategy', ['OldestEmulationVersion', 'example.com/own', '', 'Other']],
      ['spec.preferredHolder', ['you', '']],
      ['spec.holderIdentity', ['you', '', 'é😀']],
    ],
  },
  candidate('v1beta1', 12),
  candidate('v1alpha2', 5),
  {
    ...clusterWide('', 'v1', 'namespaces', 'Namespace'),
    weight: 14,
    protobuf: true,
    subresources: ['status', 'finalize'],
    fields: ['status.phase', 'metadata.namespace', 'name'],
    base: {},
    options: [
      ['spec.finalizers', [['kubernetes'], ['example.com/hold'], [], ['plain'], ['kubernetes', 'example.com/hold']]],
      ['status.phase', ['Active', 'Terminating', 'Odd']],
      ['status.conditions', [[{ type: 'A', status: 'True' }], []]],
    ],
  },
  {
    ...namespaced('', 'v1', 'events', 'Event'),
    weight: 8,
    fields: EVENT_FIELDS,
    base: { involvedObject: ABOUT, reason: 'Tested', type: 'Normal' },
    options: [
      ['message', ['hello', 'x'.repeat(1100)]],
      ['eventTime', TIMES],
      ['firstTimestamp', ['2024-01-02T03:04:05Z']],
      ['lastTimestamp', ['2024-01-02T03:04:06Z']],
      ['count', [1, 2]],
      ['series', SERIES],
      ['action', ['Test']],
      ['source', [{ component: 'c', host: 'h' }]],
      ['reportingComponent', ['example.com/c', 'c d']],
      ['reportingInstance', ['c-1']],
      ['related', [ABOUT]],
    ],
  },
  {
    ...namespaced('events.k8s.io', 'v1', 'events', 'Event'),
    weight: 8,
    fields: EVENT_FIELDS,
    base: {
      regarding: ABOUT,
      reason: 'Tested',
      type: 'Normal',
      eventTime: TIMES[0],
      action: 'Test',
      reportingController: 'example.com/c',
      reportingInstance: 'c-1',
    },
    options: [
      ['note', ['hello', 'x'.repeat(1100)]],
      ['eventTime', [TIMES[1], null]],
      ['deprecatedFirstTimestamp', ['2024-01-02T03:04:05Z']],
      ['deprecatedCount', [1]],
      ['deprecatedSource', [{ component: 'c' }]],
      ['series', SERIES],
      ['type', ['Warning', 'Odd', '']],
      ['related', [ABOUT]],
      ['reason', ['Other']],
    ],
  },
  {
    ...namespaced('', 'v1', 'serviceaccounts', 'ServiceAccount'),
    weight: 4,
    base: {},
    options: [
      ['automountServiceAccountToken', [true, false]],
      ['secrets', [[{ name: 's', kind: 'Secret' }], []]],
      ['imagePullSecrets', [[{ name: 'p' }], []]],
    ],
  },
  { ...namespaced(RBAC, 'v1', 'roles', 'Role'), weight: 5, protobuf: true, base: { rules: [RULE] }, options: ruleOptions() },
  { ...clusterWide(RBAC, 'v1', 'clusterroles', 'ClusterRole'), weight: 3, base: { rules: [RULE] }, options: ruleOptions() },
  {
    ...namespaced(RBAC, 'v1', 'rolebindings', 'RoleBinding'),
    weight: 4,
    protobuf: true,
    base: { roleRef: ROLE_REF, subjects: [{ kind: 'User', name: 'no-such-user' }] },
    options: bindingOptions(),
  },
  {
    ...clusterWide(RBAC, 'v1', 'clusterrolebindings', 'ClusterRoleBinding'),
    weight: 3,
    base: { roleRef: ROLE_REF, subjects: [{ kind: 'User', name: 'no-such-user' }] },
    options: bindingOptions(),
  },
];

type Place = Pick<AskedResource, 'collection' | 'everywhere' | 'apiVersion' | 'kind' | 'prefix' | 'protobuf' | 'fields' | 'subresources'>;

function namespaced(group: string, version: string, resource: string, kind: string): Place {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return {
    collection: `${root}/namespaces/{{ns}}/${resource}`,
    everywhere: `${root}/${resource}`,
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    prefix: '',
    protobuf: false,
    fields: ['spec.leaseName'],
    subresources: [],
  };
}

function clusterWide(group: string, version: string, resource: string, kind: string): Place {
  const { everywhere: _, ...place } = namespaced(group, version, resource, kind);
  return { ...place, collection: place.collection.replace('/namespaces/{{ns}}', ''), prefix: '{{ns}}-' };
}

function ruleOptions(): AskedResource['options'] {
  return [
    ['rules', [[], [{}], [{ verbs: ['get'] }], [{ nonResourceURLs: ['/x'], verbs: ['get'] }], null]],
    ['aggregationRule', [{ clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] }, {}]],
  ];
}

function bindingOptions(): AskedResource['options'] {
  return [
    ['roleRef', [{ ...ROLE_REF, name: 'edit' }, { kind: 'Role', name: 'r' }, { kind: 'Odd', name: 'r' }, {}]],
    ['subjects', [[], [{ kind: 'ServiceAccount', name: 's' }], [{ kind: 'Odd', name: 'x' }], [{ kind: 'Group', name: '' }], null]],
  ];
}
