import type { Random } from '../../../fuzz/random.js';
import type { Question } from '../../question.js';
import { asked, LEASES, lease, MERGE, within } from './asked.js';

const COLLECTIONS = [
  LEASES,
  within('coordination.k8s.io/v1beta1', 'leasecandidates'),
  within('v1', 'serviceaccounts'),
  within('v1', 'events'),
];
const FORMS = [
  'application/json',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=Table;v=v1beta1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/cbor-seq',
  'application/yaml',
];
const CHOICES: readonly (readonly [string, readonly string[]])[] = [
  ['includeObject', ['Object', 'Metadata', 'None']],
  ['fieldSelector', ['metadata.name=a', 'metadata.name!=a', 'metadata.name=none']],
  ['labelSelector', ['app=x', '!app']],
  ['resourceVersion', ['0', '{{rv:PATH/a}}', '999999999999', '']],
  ['timeoutSeconds', ['1', '3600']],
  ['limit', ['1']],
  ['sendInitialEvents', ['false']],
  ['allowWatchBookmarks', ['false']],
  ['resourceVersionMatch', ['Exact', '']],
];

/** Watches that begin with a list, in every form, between writes. */
export function watchLists(random: Random, length: number): Question[] {
  const path = random.pick(COLLECTIONS);
  return Array.from({ length }, (_, place) => {
    if (place === 0 || random.chance(0.2)) return asked('POST', path, { body: object(random, path) });
    if (random.chance(0.15)) {
      return asked('PATCH', `${path}/a`, { contentType: MERGE, body: { metadata: { labels: { app: random.pick(['x', null]) } } } });
    }
    return random.chance(0.05) ? asked('DELETE', `${path}/a`) : watch(random, path);
  });
}

function object(random: Random, path: string): unknown {
  const name = random.pick(['a', 'b', 'c']);
  if (path === LEASES) return lease(name, random.chance(0.5) ? { spec: { holderIdentity: 'me' } } : {});
  if (path.includes('events')) return { ...lease(name), involvedObject: { namespace: '{{ns}}' }, lastTimestamp: '2024-01-01T00:00:00.5Z' };
  if (path.includes('serviceaccounts')) return lease(name);
  return lease(name, { spec: { leaseName: 'l', binaryVersion: '1.36.0', emulationVersion: '1.36.0', strategy: 'OldestEmulationVersion' } });
}

function watch(random: Random, path: string): Question {
  const query = new Map([
    ['watch', 'true'],
    ['sendInitialEvents', 'true'],
    ['resourceVersionMatch', 'NotOlderThan'],
    ['allowWatchBookmarks', 'true'],
  ]);
  while (random.chance(0.5)) {
    const [name, values] = random.pick(CHOICES);
    query.set(name, random.pick(values).replace('PATH', path));
  }
  return asked('GET', path, {
    query: [...query],
    headers: { accept: random.pick(FORMS), ...(random.chance(0.3) ? { 'accept-encoding': 'gzip' } : {}) },
  });
}
