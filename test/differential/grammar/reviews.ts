import type { Random } from '../../fuzz/random.js';
import type { Plain, Question } from '../question.js';
import { someHeaders, someIdentity } from './headers.js';

const AUTHENTICATION = 'authentication.k8s.io/v1';
const AUTHORIZATION = 'authorization.k8s.io/v1';
const FORMS = [
  { encoding: 'json', contentType: 'application/json' },
  { encoding: 'yaml', contentType: 'application/yaml' },
  { encoding: 'cbor', contentType: 'application/cbor' },
] as const;
const ATTRIBUTES: readonly Plain[] = [
  { verb: 'get', group: 'coordination.k8s.io', resource: 'leases', namespace: '{{ns}}' },
  { verb: 'create', resource: 'namespaces' },
  { verb: 'list', resource: 'pods', fieldSelector: { rawSelector: 'a=b' } },
  { verb: 'list', resource: 'pods', labelSelector: { requirements: [{ key: 'a', operator: 'In', values: ['b'] }] } },
  { verb: '*', resource: '*' },
  {},
];

/** A question to a resource that only computes its response, such as a review. */
export function someReview(random: Random): Question {
  const identity = someIdentity(random);
  const review = random.pick([tokenReview, tokenRequest, accessReview, selfReview, rulesReview, selfSubject])(random);
  const { path, ...value } = review as Plain & { path: string };
  if (random.chance(0.08)) value['spec'] = random.pick([null, {}, [], 'x']);
  if (random.chance(0.05)) value['status'] = { allowed: true };
  return {
    method: 'POST',
    path,
    query: random.chance(0.1)
      ? [
          random.pick([
            ['dryRun', 'All'],
            ['fieldValidation', 'Strict'],
            ['dryRun', 'x'],
          ]),
        ]
      : [],
    headers: someHeaders(random, { protobuf: false }, identity),
    identity,
    body: { ...random.pick(FORMS), value },
  };
}

function tokenReview(random: Random): Plain {
  const token = random.pick(['differential-editor', 'differential-admin', 'no-such-token', '']);
  const audiences = random.pick([
    undefined,
    ['https://kubernetes.default.svc'],
    ['other'],
    ['https://kubernetes.default.svc', 'https://kubernetes.default.svc'],
    [],
  ]);
  return {
    path: `/apis/${AUTHENTICATION}/tokenreviews`,
    apiVersion: AUTHENTICATION,
    kind: 'TokenReview',
    metadata: random.pick([undefined, { name: 'x' }, { namespace: 'y' }]),
    spec: { token, ...(audiences ? { audiences } : {}) },
  };
}

function tokenRequest(random: Random): Plain {
  const bound = [
    { kind: 'Pod', apiVersion: 'v1', name: 'p' },
    { kind: 'Secret', apiVersion: 'v1', name: 's', uid: 'u' },
    { kind: 'Odd' },
    {},
    null,
  ];
  return {
    path: `/api/v1/namespaces/{{ns}}/serviceaccounts/${random.pick(['a', 'a', 'b'])}/token`,
    apiVersion: AUTHENTICATION,
    kind: 'TokenRequest',
    metadata: random.pick([undefined, undefined, { name: 'a' }, { name: 'x' }, { namespace: 'other' }, { generateName: 'x' }]),
    spec: {
      audiences: random.pick<unknown>([['https://kubernetes.default.svc'], ['other', 'other'], [], [''], null]),
      ...(random.chance(0.5) ? { expirationSeconds: random.pick([600, 3600, 599, 0, -1, 4294967296, 4294967297, null]) } : {}),
      ...(random.chance(0.3) ? { boundObjectRef: random.pick<unknown>(bound) } : {}),
    },
  };
}

function accessReview(random: Random): Plain {
  const local = random.chance(0.4);
  const nonResource = random.chance(0.2) ? { nonResourceAttributes: { path: '/healthz', verb: 'get' } } : {};
  return {
    path: `/apis/${AUTHORIZATION}/${local ? 'namespaces/{{ns}}/local' : ''}subjectaccessreviews`,
    apiVersion: AUTHORIZATION,
    kind: local ? 'LocalSubjectAccessReview' : 'SubjectAccessReview',
    ...(local ? { metadata: random.pick([{}, { namespace: '{{ns}}' }, { namespace: 'other' }]) } : {}),
    spec: {
      ...random.pick<Plain>([
        { user: 'editor' },
        { user: 'reader', groups: ['ops'] },
        { groups: ['system:masters'] },
        {},
        { user: 'named', uid: 'u' },
      ]),
      ...(random.chance(0.85) ? { resourceAttributes: random.pick(ATTRIBUTES) } : {}),
      ...nonResource,
      ...(random.chance(0.2) ? { extra: random.pick([{ a: ['b'] }, { a: null }, null, { a: [] }, { A: ['b', 'c'] }]) } : {}),
    },
  };
}

function selfReview(random: Random): Plain {
  return {
    path: `/apis/${AUTHORIZATION}/selfsubjectaccessreviews`,
    apiVersion: AUTHORIZATION,
    kind: 'SelfSubjectAccessReview',
    spec: random.chance(0.8)
      ? { resourceAttributes: random.pick(ATTRIBUTES) }
      : { nonResourceAttributes: { path: '/version', verb: 'get' } },
  };
}

function rulesReview(random: Random): Plain {
  return {
    path: `/apis/${AUTHORIZATION}/selfsubjectrulesreviews`,
    apiVersion: AUTHORIZATION,
    kind: 'SelfSubjectRulesReview',
    spec: random.pick([{ namespace: '{{ns}}' }, {}, { namespace: 'no-such-namespace' }]),
  };
}

function selfSubject(): Plain {
  return { path: `/apis/${AUTHENTICATION}/selfsubjectreviews`, apiVersion: AUTHENTICATION, kind: 'SelfSubjectReview' };
}
