import type { Random } from '../../fuzz/random.js';
import type { Question } from '../question.js';
import { someIdentity } from './headers.js';

const LEASES = '/apis/coordination.k8s.io/v1';

/** Paths that do not exist, or are unusual. */
const PATHS = [
  `${LEASES}/namespaces//leases`,
  `${LEASES}/namespaces//leases/a`,
  `${LEASES}/namespaces/{{ns}}/leases/`,
  `${LEASES}/namespaces/{{ns}}/leases//a`,
  `${LEASES}/namespaces/{{ns}}/leases/a/`,
  `${LEASES}/namespaces/{{ns}}/leases/a/status`,
  `${LEASES}/namespaces/{{ns}}/leases/a/b/c`,
  `${LEASES}/namespaces/{{ns}}/leases/%25`,
  `${LEASES}/namespaces/{{ns}}/leases/a%2Fb`,
  `${LEASES}/namespaces/{{ns}}/leases/a%00b`,
  `${LEASES}/namespaces/{{ns}}/leases/..`,
  `${LEASES}/namespaces/{{ns}}/Leases`,
  `${LEASES}/namespaces/{{ns}}`,
  `${LEASES}/namespaces/{{ns}}/pods`,
  `${LEASES}//leases`,
  `${LEASES}/`,
  `${LEASES}//`,
  '/apis/coordination.k8s.io//',
  '/apis/coordination.k8s.io//v1/leases',
  `/${LEASES}/leases`,
  `${LEASES}/watch`,
  `${LEASES}/watch/leases/a`,
  `${LEASES}/watch/namespaces/{{ns}}/leases/a/status`,
  `${LEASES}/proxy/namespaces/{{ns}}/leases/a`,
  '/apis/coordination.k8s.io/v9/leases',
  '/apis/coordination.k8s.io/v1beta1/leases',
  '/apis/nothing.example.com/v1/things',
  '/api/v1/namespaces/{{ns}}/',
  '/api/v1/namespaces/{{ns}}/status/x',
  '/api/v1/namespaces/{{ns}}/finalize',
  '/api/v1/watch/namespaces/{{ns}}/status',
  '/api/v1/namespaces/{{ns}}/serviceaccounts/a/token',
  '/api/v2/namespaces',
  '/api',
  '/api/',
  '/version',
  '/version/',
  '/apis/coordination.k8s.io',
  '/apis/coordination.k8s.io/v1',
  '/apis/coordination.k8s.io/v1beta1',
  '/apis/events.k8s.io/v1',
  '/apis/rbac.authorization.k8s.io/v1',
  '/apis/authorization.k8s.io/v1',
  `${LEASES}/watch/namespaces/{{ns}}/leases`,
  `${LEASES}/watch/namespaces/{{ns}}/leases/a`,
  '/api/v1/watch/namespaces/{{ns}}',
  '/api/v1/namespaces/{{ns}}/finalize/x',
  '/apis/coordination.k8s.io/v1/namespaces/no-such-namespace/leases',
  '/apis/coordination.k8s.io/v1/namespaces/no-such-namespace/leases/a',
  '/apis/coordination.k8s.io/v1/namespaces/UPPER/leases',
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  '/apis/authentication.k8s.io/v1/tokenreviews/a',
  '/.well-known/openid-configuration/x',
  '/openid/v1',
  '/openapi/v3/apis/nothing.example.com/v1',
  '/openapi/v1',
  '/livez',
  '/readyz',
  '/healthz',
  '/healthz/',
  '/healthz/ping',
  '/healthz/nothing',
  '/livez/ping',
  '/nothing',
  '/debug/pprof/',
  '//',
];

const QUERIES: Question['query'][number][] = [
  ['timeoutSeconds', '-1'],
  ['fieldSelector', 'metadata.name=a'],
  ['exclude', 'ping'],
  ['pretty', '1'],
  ['timeout', 'x'],
  ['unknown', 'x'],
];
const ACCEPTED = [
  'text/plain',
  'application/yaml',
  'application/cbor',
  'application/vnd.kubernetes.protobuf',
  'application/json;as=APIResourceList;v=v1;g=meta.k8s.io',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
];
const METHODS = ['GET', 'GET', 'GET', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'ODD'];

export function oddPath(random: Random): Question {
  const method = random.pick(METHODS);
  const withBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  return {
    method,
    path: random.pick(PATHS),
    query: random.chance(0.15) ? [random.pick(QUERIES)] : [],
    headers: random.chance(0.15) ? { accept: random.pick(ACCEPTED) } : {},
    identity: someIdentity(random),
    ...(withBody
      ? { body: { encoding: 'json', contentType: method === 'PATCH' ? 'application/merge-patch+json' : 'application/json', value: {} } }
      : {}),
  };
}
