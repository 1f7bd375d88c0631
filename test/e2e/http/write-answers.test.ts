import { forAllTests } from '../../support/for-tests.js';
import { Http2Client } from '../../support/http-client.js';
import { startTestServer } from '../../support/test-server.js';

const COORDINATION = '/apis/coordination.k8s.io';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const FORMS = [
  'application/json',
  'application/yaml',
  'application/cbor',
  'application/vnd.kubernetes.protobuf',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
];

/** Values that a client may send although the server drops or changes them. */
const metadata = {
  labels: { b: '', a: 'x' },
  annotations: {},
  finalizers: ['x.example/y'],
  ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: '<n>', uid: 'u\u2028', controller: null, blockOwnerDeletion: false }],
  generateName: '',
  selfLink: 'gone',
};
const lease = {
  holderIdentity: null,
  leaseDurationSeconds: 7,
  renewTime: '0001-01-01T00:00:00.000000Z',
  acquireTime: '2026-01-02T03:04:05.100000+01:00',
};
const times = { pingTime: '0001-01-01T00:00:00.000000Z', renewTime: '2026-01-02T03:04:05.000006Z' };
const strategy = 'OldestEmulationVersion';
const candidate = { leaseName: 'l', binaryVersion: '1.2.3', emulationVersion: '1.0.0', ...times };

const objects: readonly (readonly [path: string, apiVersion: string, kind: string, content: object])[] = [
  [`${COORDINATION}/v1/namespaces/default/leases`, 'coordination.k8s.io/v1', 'Lease', { spec: lease }],
  [
    `${COORDINATION}/v1beta1/namespaces/default/leasecandidates`,
    'coordination.k8s.io/v1beta1',
    'LeaseCandidate',
    { spec: { ...candidate, strategy } },
  ],
  [
    `${COORDINATION}/v1alpha2/namespaces/default/leasecandidates`,
    'coordination.k8s.io/v1alpha2',
    'LeaseCandidate',
    { spec: { ...candidate, strategy } },
  ],
  [
    `${COORDINATION}/v1alpha1/namespaces/default/leasecandidates`,
    'coordination.k8s.io/v1alpha1',
    'LeaseCandidate',
    { spec: { ...candidate, preferredStrategies: [strategy] } },
  ],
  ['/api/v1/namespaces', 'v1', 'Namespace', { spec: { finalizers: [] } }],
  ['/api/v1/namespaces/default/serviceaccounts', 'v1', 'ServiceAccount', { secrets: [], imagePullSecrets: [{ name: 'a' }, {}] }],
  [
    `${RBAC}/clusterroles`,
    'rbac.authorization.k8s.io/v1',
    'ClusterRole',
    { rules: [{ verbs: ['*'], apiGroups: [''], resources: ['pods'], resourceNames: [] }] },
  ],
  [
    `${RBAC}/clusterrolebindings`,
    'rbac.authorization.k8s.io/v1',
    'ClusterRoleBinding',
    { subjects: [], roleRef: { apiGroup: '', kind: 'ClusterRole', name: 'x' } },
  ],
  [
    '/api/v1/namespaces/default/events',
    'v1',
    'Event',
    {
      involvedObject: { kind: 'Pod', namespace: 'default' },
      source: {},
      count: 0,
      firstTimestamp: null,
      lastTimestamp: '2026-01-02T03:04:05Z',
    },
  ],
  [
    '/apis/events.k8s.io/v1/namespaces/default/events',
    'events.k8s.io/v1',
    'Event',
    {
      eventTime: '2026-01-02T03:04:05.000006Z',
      reportingController: 'example.com/c',
      reportingInstance: 'i',
      action: 'a',
      reason: 'r',
      type: 'Normal',
      regarding: { namespace: 'default' },
      series: { count: 2, lastObservedTime: '2026-01-02T03:04:05.000006Z' },
    },
  ],
];

let names = 0;

const server = forAllTests(() => startTestServer());
const client = forAllTests(() => new Http2Client(server.url));

/** Ages in a Table are in seconds, which may pass between two reads; they are masked. */
function shown(text: string): string {
  return text.replace(/"\d+s"/, '');
}

describe.each(objects)('%s', (path, apiVersion, kind, content) => {
  test.each(FORMS)('a write returns in %s what a later read returns', async (accept) => {
    const name = `n${++names}`;
    const object = { apiVersion, kind, metadata: { ...metadata, name }, ...content };
    const { status, text } = await client.ask(path, { method: 'POST', body: object });
    expect([status, status === 201 ? '' : text]).toEqual([201, '']);
    const changes = [
      { method: 'PUT', media: 'application/json', body: { ...object, metadata: { ...object.metadata, labels: { a: 'put' } } } },
      { method: 'PATCH', media: 'application/merge-patch+json', body: { metadata: { labels: { a: 'merged', c: null } } } },
      { method: 'PATCH', media: 'application/apply-patch+yaml', body: { apiVersion, kind, metadata: { name, labels: { d: 'applied' } } } },
    ];
    for (const { method, media, body } of changes) {
      const before = await client.ask(`${path}/${name}`);
      if (method === 'PUT') Object.assign(body.metadata, { resourceVersion: before.json.metadata?.resourceVersion });
      const query = media.includes('apply') ? '?fieldManager=me' : '';
      const headers = { 'content-type': media, accept };
      const written = await client.ask(`${path}/${name}${query}`, { method, headers, body: JSON.stringify(body) });
      expect(written).toMatchObject({ status: 200 });
      expect(written.text).not.toContain(`"resourceVersion":"${before.json.metadata?.resourceVersion}"`);
      const read = await client.ask(`${path}/${name}`, { headers: { accept } });
      expect(shown(written.text)).toBe(shown(read.text));
    }
  });
});
