import { ADMIN_TOKEN, ATTACKED_NAMESPACE, IDLER_TOKENS, leasesOf, TENANT_TOKEN } from '../../attack/identities.js';
import { type Encoding, type Value, ENCODINGS, field, protobufDocument, repeatedField } from './encodings.js';
import { LARGE_LEASE } from './large-lease.js';
import { METADATA, TEXTS, UNKNOWN, YAML_TEXTS } from './shapes.js';

/** A request that a client may send at any size. */
export interface TurnCase {
  readonly name: string;
  readonly method: string;
  readonly token: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that grow. */
  readonly longHeaders?: (size: number) => Readonly<Record<string, string>>;
  readonly path: (size: number) => string;
  readonly body?: (size: number) => Buffer;
}

const LEASES = leasesOf(ATTACKED_NAMESPACE);
const LEASE = `${LEASES}/lease-1`;
const LARGE = `${LEASES}/${LARGE_LEASE}`;
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const [NOBODY] = IDLER_TOKENS;

const lease = (metadata: object, more: object = {}): Value => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'turn', ...metadata },
  spec: { holderIdentity: 'a' },
  ...more,
});

/** Every part of metadata, and every unknown field, as the given requests. */
function objects(
  name: string,
  request: (object: (size: number) => Value) => Partial<TurnCase> & Pick<TurnCase, 'method'>,
  path: string,
): TurnCase[] {
  const parts = [
    ...Object.entries(METADATA).map(([part, of]) => [part, (size: number) => lease(of(size))] as const),
    ...Object.entries(UNKNOWN).map(([part, of]) => [part, (size: number) => lease({}, of(size))] as const),
  ];
  return parts.map(([part, object]) => ({ name: `${name}: ${part}`, token: TENANT_TOKEN, path: () => path, ...request(object) }));
}

function encoded(encoding: Encoding, method: string, object: (size: number) => Value) {
  const { contentType, encode } = ENCODINGS[encoding];
  return { method, headers: { 'content-type': contentType }, body: (size: number) => encode(object(size)) };
}

const typed = (contentType: string, method: string, object: (size: number) => Value) => ({
  ...encoded('json', method, object),
  headers: { 'content-type': contentType },
});

const BODIES: readonly TurnCase[] = [
  ...(['json', 'yaml', 'cbor'] as const).flatMap((encoding) =>
    objects(`create ${encoding}`, (object) => encoded(encoding, 'POST', object), `${LEASES}?dryRun=All`),
  ),
  ...objects(
    'update json',
    (object) =>
      encoded('json', 'PUT', (size) => ({
        ...(object(size) as object),
        metadata: { ...(object(size) as { metadata: object }).metadata, name: 'lease-1' },
      })),
    `${LEASE}?dryRun=All`,
  ),
  ...(['merge', 'strategic-merge'] as const).flatMap((type) =>
    objects(
      `${type} patch`,
      (object) => typed(`application/${type}-patch+json`, 'PATCH', object),
      `${LEASE}?dryRun=All&fieldValidation=Strict`,
    ),
  ),
  ...objects(
    'apply',
    (object) => typed('application/apply-patch+yaml', 'PATCH', (size) => object(size)),
    `${LEASES}/turn?dryRun=All&fieldManager=t&force=true`,
  ),
  ...objects(
    'apply cbor',
    (object) => ({ ...encoded('cbor', 'PATCH', object), headers: { 'content-type': 'application/apply-patch+cbor' } }),
    `${LEASES}/turn?dryRun=All&fieldManager=t`,
  ),
  ...objects(
    'review',
    (object) =>
      encoded('json', 'POST', (size) => ({
        ...(object(size) as object),
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: {},
      })),
    REVIEWS,
  ),
  ...objects('delete options', (object) => ({ ...encoded('json', 'DELETE', object) }), `${LEASE}?dryRun=All`),
];

const texts: readonly TurnCase[] = [
  ...Object.entries(TEXTS).flatMap(([name, text]) =>
    (['application/json', 'application/yaml', 'application/cbor', 'application/vnd.kubernetes.protobuf'] as const).map((contentType) => ({
      name: `create ${contentType.split(/[/.]/).at(-1)}: ${name}`,
      ...raw(contentType, 'POST', LEASES, text),
    })),
  ),
  ...Object.entries(TEXTS).map(([name, text]) => ({
    name: `json patch: ${name}`,
    ...raw('application/json-patch+json', 'PATCH', LEASE, text),
  })),
  ...Object.entries({ ...TEXTS, ...YAML_TEXTS }).map(([name, text]) => ({
    name: `apply: ${name}`,
    ...raw('application/apply-patch+yaml', 'PATCH', `${LEASE}?fieldManager=t`, text),
  })),
  ...Object.entries(YAML_TEXTS).map(([name, text]) => ({
    name: `review yaml: ${name}`,
    ...raw('application/yaml', 'POST', REVIEWS, text),
    token: NOBODY,
  })),
  ...Object.entries(TEXTS).map(([name, text]) => ({
    name: `state: ${name}`,
    ...raw('application/json', 'POST', `${LEASE}/state?ID=x`, text),
  })),
  ...Object.entries(TEXTS).map(([name, text]) => ({ name: `lock: ${name}`, ...raw('application/json', 'POST', `${LEASE}/lock`, text) })),
];

function raw(contentType: string, method: string, path: string, text: (size: number) => string) {
  return {
    method,
    token: TENANT_TOKEN,
    headers: { 'content-type': contentType },
    path: () => path,
    body: (size: number) => Buffer.from(text(size)),
  };
}

const OPERATIONS: Readonly<Record<string, (at: number) => Value>> = {
  'tests of all': () => ({ op: 'test', path: '', value: {} }),
  additions: (at) => ({ op: 'add', path: `/metadata/labels/k${at}`, value: 'v' }),
  'insertions in front': (at) => ({ op: 'add', path: '/metadata/finalizers/0', value: `a/b${at}` }),
  copies: () => ({ op: 'copy', from: '/metadata', path: '/metadata/x' }),
  moves: (at) => ({ op: 'move', from: at % 2 ? '/spec' : '/x', path: at % 2 ? '/x' : '/spec' }),
  'long paths': () => ({ op: 'test', path: '/a'.repeat(900), value: 1 }),
};

const operations: readonly TurnCase[] = Object.entries(OPERATIONS).map(([name, operation]) => ({
  name: `json patch: ${name}`,
  token: TENANT_TOKEN,
  path: () => `${LEASE}?dryRun=All`,
  ...typed('application/json-patch+json', 'PATCH', (size) => [
    { op: 'add', path: '/metadata/labels', value: {} },
    { op: 'add', path: '/metadata/finalizers', value: [] },
    ...Array.from({ length: Math.min(size, 9998) }, (_, at) => operation(at)),
  ]),
}));

/** Specs of reviews. */
const SPECS: Readonly<Record<string, (size: number) => Value>> = {
  'raw labels': (size) => selecting('labelSelector', { rawSelector: 'a,'.repeat(size) }),
  'raw fields': (size) => selecting('fieldSelector', { rawSelector: 'a=b,'.repeat(size) }),
  requirements: (size) =>
    selecting('labelSelector', {
      requirements: Array.from({ length: Math.ceil(size / 5) }, (_, at) => ({ key: `k${at}`, operator: 'In', values: ['a'] })),
    }),
  'values of a requirement': (size) =>
    selecting('labelSelector', { requirements: [{ key: 'a', operator: 'In', values: Array.from({ length: size }, (_, at) => `ü${at}`) }] }),
  'long attributes': (size) => ({
    resourceAttributes: { namespace: 'ä'.repeat(size), verb: 'é'.repeat(size), resource: 'x'.repeat(size) },
  }),
};

function selecting(kind: string, selector: Value): Value {
  return { resourceAttributes: { verb: 'list', resource: 'leases', group: 'coordination.k8s.io', [kind]: selector } };
}

const reviews: readonly TurnCase[] = Object.entries(SPECS).map(([name, spec]) => ({
  name: `review: ${name}`,
  token: NOBODY,
  path: () => REVIEWS,
  ...encoded('json', 'POST', (size) => ({ apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: spec(size) })),
}));

const SELECTORS: Readonly<Record<string, (size: number) => string>> = {
  'labelSelector=': (size) => 'a,'.repeat(size),
  'labelSelector= ': (size) => Array.from({ length: size }, (_, at) => `k${at}=v`).join(','),
  'labelSelector=in': (size) => `a in (${Array.from({ length: size }, (_, at) => `v${at}`).join(',')})`,
  'labelSelector=long word': (size) => 'a'.repeat(size * 10),
  'fieldSelector=': (size) => Array.from({ length: size }, (_, at) => `metadata.name!=n${at}`).join(','),
  'fieldSelector=long word': (size) => `metadata.name=${'ü'.repeat(size)}`,
  'fieldSelector=escapes': (size) => `metadata.name=${'\\,'.repeat(size)}`,
  'shardSelector=': (size) =>
    Array.from({ length: size / 10 }, (_, at) => `shardRange(object.metadata.uid,'0x${at}','0x1${at}')`).join('||'),
  'shardSelector=brackets': (size) => '('.repeat(size),
  'shardSelector=quotes': (size) => `'${'\\'.repeat(size)}`,
  'continue=': (size) => 'A'.repeat(size * 10),
  'x&': (size) => 'a&'.repeat(size * 2),
};

const queries: readonly TurnCase[] = Object.entries(SELECTORS).flatMap(([name, text]) =>
  [
    ['GET', 'list', ''],
    ['GET', 'watch', 'watch=1&timeoutSeconds=-1&resourceVersion=0&'],
    ['DELETE', 'deletecollection', 'dryRun=All&'],
  ].map(([method = '', verb, query = '']) => ({
    name: `${verb}: ${name}`,
    method,
    token: TENANT_TOKEN,
    path: (size: number) => `${LEASES}?${query}${name.replace(/=.*/, '=')}${encodeURI(text(size)).replaceAll('%5C', '\\')}`,
  })),
);

const PROTOBUF: Readonly<Record<string, (size: number) => Buffer>> = {
  'empty labels': (size) =>
    field(
      1,
      repeatedField(11, () => '', size),
    ),
  labels: (size) =>
    field(
      1,
      repeatedField(11, (at) => field(1, `k${at}`), size),
    ),
  'parts of a label': (size) =>
    field(
      1,
      field(
        11,
        repeatedField(1, () => '', size),
      ),
    ),
  finalizers: (size) =>
    field(
      1,
      repeatedField(14, () => '', size),
    ),
  owners: (size) =>
    field(
      1,
      repeatedField(13, () => '', size),
    ),
  'unknown fields': (size) => repeatedField(99, () => '', size),
  'managed fields': (size) => field(1, field(17, field(7, field(1, JSON.stringify(Array(size).fill(0)))))),
};

const protobuf: readonly TurnCase[] = Object.entries(PROTOBUF).map(([name, message]) => ({
  name: `create protobuf: ${name}`,
  method: 'POST',
  token: TENANT_TOKEN,
  headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
  path: () => `${LEASES}?dryRun=All`,
  body: (size: number) => protobufDocument('coordination.k8s.io/v1', 'Lease', message(size)),
}));

const ofLarge: readonly TurnCase[] = [
  ...objects('merge patch of a large lease', (object) => typed('application/merge-patch+json', 'PATCH', object), `${LARGE}?dryRun=All`),
  ...objects(
    'apply to a large lease',
    (object) => typed('application/apply-patch+yaml', 'PATCH', (size) => named(object(size), LARGE_LEASE)),
    `${LARGE}?dryRun=All&fieldManager=t&force=true`,
  ),
  ...objects(
    'apply without force to a large lease',
    (object) => typed('application/apply-patch+yaml', 'PATCH', (size) => named(object(size), LARGE_LEASE)),
    `${LARGE}?dryRun=All&fieldManager=t`,
  ),
  ...objects(
    'update of a large lease',
    (object) => encoded('json', 'PUT', (size) => named(object(size), LARGE_LEASE)),
    `${LARGE}?dryRun=All`,
  ),
];

function named(object: Value, name: string): Value {
  const { metadata, ...rest } = object as { readonly metadata: object };
  return { ...rest, metadata: { ...metadata, name } };
}

const RBAC = `/apis/rbac.authorization.k8s.io/v1/namespaces/${ATTACKED_NAMESPACE}`;
const texted = (count: number, text = 'x') => Array.from({ length: count }, (_, at) => `${text}${at}`);

/** Objects of other resources, by the path that takes them. */
const OTHERS: Readonly<Record<string, readonly [path: string, object: (size: number) => object]>> = {
  'role with resources': [`${RBAC}/roles`, (size) => ({ rules: [{ apiGroups: ['*'], resources: texted(size), verbs: ['get'] }] })],
  'role with rules': [
    `${RBAC}/roles`,
    (size) => ({ rules: Array.from({ length: size / 8 }, (_, at) => ({ apiGroups: [`g${at}`], resources: ['é'], verbs: ['get'] })) }),
  ],
  'binding of subjects': [
    `${RBAC}/rolebindings`,
    (size) => ({
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'tenant' },
      subjects: Array.from({ length: size / 4 }, (_, at) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: `u${at}` })),
    }),
  ],
  'token review': [
    '/apis/authentication.k8s.io/v1/tokenreviews',
    (size) => ({ spec: { token: `${'a.'.repeat(size)}b`, audiences: texted(size) } }),
  ],
  'access review of groups': [
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    (size) => ({
      spec: {
        user: 'u',
        groups: texted(size / 2),
        extra: Object.fromEntries(texted(size / 4).map((key) => [key, ['ü']])),
        resourceAttributes: {},
      },
    }),
  ],
  'rules review': ['/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', (size) => ({ spec: { namespace: 'ö'.repeat(size) } })],
};

const others: readonly TurnCase[] = Object.entries(OTHERS).map(([name, [path, object]]) => ({
  name,
  token: ADMIN_TOKEN,
  path: () => `${path}?dryRun=All`,
  ...encoded('json', 'POST', (size) => ({ metadata: { name: 'turn' }, ...object(size) })),
}));

const HEADERS: Readonly<Record<string, (size: number) => string>> = {
  accept: (size) => 'a/b;q=0.1,'.repeat(size),
  'accept-encoding': (size) => 'gzip;q=0,'.repeat(size),
  authorization: (size) => `Bearer ${'a.'.repeat(size)}`,
  cookie: (size) => 'a=b;'.repeat(size),
  traceparent: (size) => '00-'.repeat(size),
  'impersonate-extra-a': (size) => 'x,'.repeat(size),
  'user-agent': (size) => '(;'.repeat(size),
};

const headers: readonly TurnCase[] = Object.entries(HEADERS).map(([name, value]) => ({
  name: `header ${name}`,
  method: 'GET',
  token: NOBODY,
  longHeaders: (size) => ({ [name]: value(size) }),
  path: () => LEASE,
}));

export const TURN_CASES: readonly TurnCase[] = [
  ...[BODIES, texts, operations, reviews, queries, protobuf, ofLarge, others, headers].flat(),
];
