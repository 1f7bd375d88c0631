import { type Json, NASTY_KEYS, nastyText, nastyValue, ownKeys } from './nasty-values.js';
import type { Random } from './random.js';

const POINTERS: readonly string[] = [
  '',
  '/',
  '/spec',
  '/spec/holderIdentity',
  '/spec/leaseDurationSeconds',
  '/metadata',
  '/metadata/name',
  '/metadata/uid',
  '/metadata/resourceVersion',
  '/metadata/labels',
  '/metadata/labels/a',
  '/metadata/annotations/a~1b',
  '/metadata/finalizers',
  '/metadata/finalizers/-',
  '/metadata/finalizers/0',
  '/metadata/finalizers/01',
  '/metadata/finalizers/-1',
  '/metadata/finalizers/1e0',
  '/metadata/finalizers/9999999999',
  '/metadata/ownerReferences',
  '/metadata/managedFields',
  '/metadata/managedFields/0/fieldsV1',
  '/metadata/deletionTimestamp',
  '/kind',
  '/apiVersion',
];

/** A list of RFC 6902 operations: mostly short and effective, sometimes with thousands of them. */
export function jsonPatch(random: Random): Json {
  const length = random.chance(0.01) ? 10_001 + random.below(3) - 1 : random.size(60);
  return Array.from({ length }, () => operation(random, length > 1000));
}

function operation(random: Random, plain: boolean): Json {
  const entries: [string, Json][] = [
    ['op', random.chance(0.95) ? random.pick(['add', 'remove', 'replace', 'move', 'copy', 'test']) : nastyText(random)],
  ];
  if (random.chance(0.97)) entries.push(['path', pointer(random, plain)]);
  if (random.chance(0.5)) entries.push(['from', pointer(random, plain)]);
  if (random.chance(0.8)) {
    entries.push(['value', plain || random.chance(0.5) ? random.pick(['x', 15, { a: 'b' }, ['f/x'], null]) : nastyValue(random)]);
  }
  return ownKeys(entries);
}

function pointer(random: Random, plain: boolean): string {
  if (plain || random.chance(0.8)) return random.pick(POINTERS);
  return Array.from({ length: 1 + random.size(50) }, () => `/${random.pick(NASTY_KEYS)}`).join('');
}

/** A partial object, as in merge patches and applies, with some directives of strategic merge patches. */
export function partialObject(random: Random): Json {
  const metadata: [string, Json][] = [];
  const add = (key: string, value: () => Json) => {
    if (random.chance(0.3)) metadata.push([key, random.chance(0.7) ? value() : nastyValue(random)]);
  };
  add('labels', () =>
    ownKeys([
      [random.pick(NASTY_KEYS), nastyText(random)],
      ['a', 'b'],
    ]),
  );
  add('annotations', () =>
    ownKeys([
      [random.pick(NASTY_KEYS), nastyText(random)],
      ['a/b', nastyText(random)],
    ]),
  );
  add('finalizers', () => ['example.com/a', random.pick(NASTY_KEYS)]);
  add('ownerReferences', () => [ownerReference(random), ownerReference(random)]);
  add('managedFields', () => [managedFields(random)]);
  add('$setElementOrder/finalizers', () => ['example.com/a', 'x']);
  add('$deleteFromPrimitiveList/finalizers', () => ['example.com/a']);
  add('$setElementOrder/ownerReferences', () => [{ uid: 'u1' }, { uid: '__proto__' }]);
  add('$patch', () => random.pick(['replace', 'delete', 'merge', 'nonsense']));
  add('$retainKeys', () => ['name', 'labels']);
  add('resourceVersion', () => random.pick(['', '0', '1', 'x', '99999999']));
  add('uid', () => 'u');
  const spec: [string, Json][] = [['holderIdentity', random.chance(0.7) ? 'h' : nastyValue(random)]];
  if (random.chance(0.4)) spec.push(['leaseDurationSeconds', random.chance(0.6) ? 15 : nastyValue(random)]);
  if (random.chance(0.3)) spec.push(['renewTime', random.chance(0.5) ? '2024-01-01T00:00:00.123456Z' : nastyText(random)]);
  if (random.chance(0.1)) spec.push([random.pick(NASTY_KEYS), nastyValue(random)]);
  return ownKeys([
    ['apiVersion', random.chance(0.95) ? 'coordination.k8s.io/v1' : nastyText(random)],
    ['kind', random.chance(0.95) ? 'Lease' : nastyText(random)],
    ['metadata', ownKeys(metadata)],
    ['spec', random.chance(0.95) ? ownKeys(spec) : nastyValue(random)],
  ]);
}

function ownerReference(random: Random): Json {
  const uid = random.pick(['u1', 'u2', '__proto__', '']);
  return { apiVersion: 'v1', kind: 'Pod', name: 'p', uid, ...(random.chance(0.2) ? { $patch: 'delete' } : {}) };
}

function managedFields(random: Random): Json {
  return {
    manager: nastyText(random).slice(0, 200),
    operation: random.pick(['Update', 'Apply', 'Nonsense']),
    apiVersion: random.pick(['coordination.k8s.io/v1', 'v1', '__proto__', '']),
    time: '2024-01-01T00:00:00Z',
    fieldsType: random.pick(['FieldsV1', 'FieldsV2', '']),
    fieldsV1: fieldsV1(random, 0),
  };
}

function fieldsV1(random: Random, depth: number): Json {
  const keys = ['f:spec', 'f:metadata', 'f:labels', 'f:finalizers', 'f:holderIdentity', '.', 'v:"x"', 'k:{"uid":"u1"}', ...NASTY_KEYS];
  if (depth > 5 || random.chance(0.05)) return random.chance(0.8) ? {} : nastyValue(random);
  return ownKeys(Array.from({ length: random.below(4) }, () => [random.pick(keys), fieldsV1(random, depth + 1)]));
}
