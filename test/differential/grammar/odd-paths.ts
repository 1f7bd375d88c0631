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
  '/healthz/ping',
  '/healthz/nothing',
  '/livez/ping',
  '/nothing',
  '//',
];

const METHODS = ['GET', 'GET', 'GET', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

export function oddPath(random: Random): Question {
  const method = random.pick(METHODS);
  const withBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  return {
    method,
    path: random.pick(PATHS),
    query: [],
    headers: random.chance(0.1) ? { accept: random.pick(['text/plain', 'application/yaml', 'application/cbor']) } : {},
    identity: someIdentity(random),
    ...(withBody
      ? { body: { encoding: 'json', contentType: method === 'PATCH' ? 'application/merge-patch+json' : 'application/json', value: {} } }
      : {}),
  };
}
