import { continueToken } from './corpus.js';
import { nastyText, wellFormed } from './nasty-values.js';
import type { Random } from './random.js';

const NAMES: readonly string[] = ['one', 'two', 'three', 'four', 'p1', 'p2'];

const PLAIN: readonly string[] = [
  '/',
  '/api',
  '/api/v1',
  '/apis',
  '/apis/coordination.k8s.io',
  '/apis/coordination.k8s.io/v1',
  '/apis/coordination.k8s.io/v1beta1',
  '/apis/coordination.k8s.io/v1alpha2',
  '/version',
  '/healthz',
  '/livez',
  '/readyz',
  '/readyz?verbose',
  '/readyz/ping',
  '/readyz?exclude=ping&exclude=x',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/apis/coordination.k8s.io/v1',
  '/openapi/v3/apis/coordination.k8s.io/v1?hash=x',
  '/swagger',
  '/swagger/',
  '/swagger/swagger-ui.css',
  '/ui/',
  '/metrics',
  '/.well-known/openid-configuration',
  '/openid/v1/jwks',
  '/apis/apps/v1/deployments',
  '/api/v1/pods',
];

const COLLECTIONS: readonly string[] = [
  '/apis/coordination.k8s.io/v1/namespaces/${ns}/leases',
  '/apis/coordination.k8s.io/v1/namespaces/${ns}/leases',
  '/apis/coordination.k8s.io/v1/namespaces/${ns}/leases',
  '/apis/coordination.k8s.io/v1/leases',
  '/apis/coordination.k8s.io/v1beta1/namespaces/${ns}/leasecandidates',
  '/apis/coordination.k8s.io/v1alpha2/namespaces/${ns}/leasecandidates',
  '/apis/coordination.k8s.io/v1/watch/namespaces/${ns}/leases',
  '/api/v1/namespaces',
  '/api/v1/namespaces/${ns}/events',
  '/apis/events.k8s.io/v1/namespaces/${ns}/events',
  '/api/v1/namespaces/${ns}/serviceaccounts',
];

/** Path and query of a request to a place that exists, or nearly. */
export function target(random: Random): string {
  if (random.chance(0.12)) return random.pick(PLAIN);
  const collection = random.pick(COLLECTIONS);
  const name = random.chance(0.65) ? `/${nameIn(collection, random)}` : '';
  const below = name !== '' && random.chance(0.05) ? random.pick(['/status', '/finalize', '/scale', '/token', '/x', '/']) : '';
  return collection + name + below + (random.chance(0.5) ? query(random) : '');
}

function nameIn(collection: string, random: Random): string {
  if (random.chance(0.07)) return encodeURIComponent(wellFormed(nastyText(random)).slice(0, 3000));
  return collection === '/api/v1/namespaces' ? random.pick(['${ns}', 'default', 'n-1', 'kube-system']) : random.pick(NAMES);
}

type Value = (random: Random) => string;
const oneOf =
  (...choices: string[]): Value =>
  (random) =>
    random.pick(choices);

const RESOURCE_VERSIONS = oneOf('0', '', '1', '5', '-1', '00', '1.5', 'x', '99', '9223372036854775807', '18446744073709551616');

const PARAMETERS: Readonly<Record<string, Value>> = {
  labelSelector: selector,
  fieldSelector: selector,
  shardSelector: (random) =>
    random.pick([
      "shardRange(object.metadata.uid, '0x0', '0x8')",
      "shardRange(object.metadata.uid,'0x0000000000000000','0x8000000000000000')",
      'shardRange((((',
      "a || b && shardRange('",
      nastyText(random),
    ]),
  limit: oneOf('1', '2', '0', '-1', '500', 'x', '9223372036854775807', '1e3', ''),
  continue: (random) => (random.chance(0.8) ? continueToken(random) : nastyText(random)),
  resourceVersion: RESOURCE_VERSIONS,
  resourceVersionMatch: oneOf('Exact', 'NotOlderThan', 'x', ''),
  watch: oneOf('1', 'true', 'false', '0', '', 'x'),
  timeoutSeconds: oneOf('0', '1', '-1', 'x', '99999999999', '9223372036854775808'),
  timeout: oneOf('1s', '10s', '0', '-1s', 'x', '1h', '1ns', '9999999999h', '1.5.5s', '30'),
  allowWatchBookmarks: oneOf('true', '1', 'x', ''),
  sendInitialEvents: oneOf('true', 'false', 'x'),
  dryRun: oneOf('All', 'All', 'All', 'None', '', 'all'),
  fieldManager: (random) => (random.chance(0.7) ? random.pick(['m', 'a', 'b']) : nastyText(random).slice(0, 300)),
  fieldValidation: oneOf('Strict', 'Warn', 'Ignore', 'x', ''),
  force: oneOf('true', 'false', '1', 'x', ''),
  pretty: oneOf('true', '1', '0', 'x'),
  includeObject: oneOf('None', 'Metadata', 'Object', 'x'),
  gracePeriodSeconds: oneOf('0', '1', '-1', 'x', '9223372036854775807'),
  propagationPolicy: oneOf('Orphan', 'Background', 'Foreground', 'x'),
  orphanDependents: oneOf('true', 'false', 'x'),
  ignoreStoreReadErrorWithClusterBreakingPotential: oneOf('true', 'x'),
};
const NAMES_OF_PARAMETERS = [...Object.keys(PARAMETERS), '__proto__', 'constructor', 'LabelSelector', 'labelSelector[]'];

/** One or more parameters; some repeated, some misspelled, some with invalid escapes. */
export function query(random: Random): string {
  const parts = Array.from({ length: 1 + random.below(random.chance(0.98) ? 4 : 2000) }, () => parameter(random));
  return `?${parts.join(random.chance(0.97) ? '&' : ';')}`;
}

function parameter(random: Random): string {
  const name = random.pick(NAMES_OF_PARAMETERS);
  const known = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined;
  const value = known && random.chance(0.93) ? known(random) : nastyText(random);
  if (random.chance(0.02)) return `${name}=%${value.slice(0, 1)}`;
  return `${name}=${encodeURIComponent(wellFormed(value).slice(0, 3000)).replaceAll('%20', '+')}`;
}

function selector(random: Random): string {
  const count = random.chance(0.99) ? 1 + random.below(4) : random.pick([1500, 20_000]);
  return Array.from({ length: count }, () => requirement(random)).join(random.pick([',', ',', ',', ', ', ',,', ' && ']));
}

function requirement(random: Random): string {
  const key = random.pick([
    'a',
    'metadata.name',
    'metadata.namespace',
    'spec.holderIdentity',
    'k8s.io/x',
    '__proto__',
    'constructor',
    '!a',
    '',
    nastyText(random).slice(0, 400),
  ]);
  const operator = random.pick(['=', '==', '!=', ' in ', ' notin ', '>', '<', '', ' in in ', '\\=']);
  const value = random.pick(['one', 'b', '', '(a,b)', '(', ')', '(a,b', '()', '(,)', '\\', 'a\\,b', '1', nastyText(random).slice(0, 400)]);
  return key + operator + value;
}
