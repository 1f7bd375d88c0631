import type { Random } from '../../fuzz/random.js';
import type { Plain } from '../question.js';
import type { AskedResource } from './resources.js';

/** Values of an unexpected type. */
const ODD_VALUES: readonly unknown[] = [
  null,
  '',
  0,
  -1,
  1.5,
  4294967296,
  true,
  [],
  {},
  [null],
  ['x'],
  'x',
  'x'.repeat(300),
  'Ünïcode',
  '0001-01-01T00:00:00Z',
  '0001-01-01T00:00:00.000000Z',
  '2024-01-02T03:04:05Z',
  '2024-13-02T03:04:05.000000Z',
  { a: 'b' },
  { a: null },
  { a: 1 },
];

const METADATA_OPTIONS: AskedResource['options'] = [
  ['metadata.labels', [{ app: 'x' }, { app: 'y', 'example.com/k': '' }, { 'a b': 'c' }, { app: 'x y' }, {}, { n: '07' }]],
  ['metadata.annotations', [{ note: 'n' }, { 'Example.com/X': 'y' }, { 'a b': 'c' }, {}]],
  [
    'metadata.finalizers',
    [
      ['example.com/hold'],
      ['plain'],
      ['orphan'],
      ['foregroundDeletion'],
      ['orphan', 'foregroundDeletion'],
      ['a/b/c'],
      [],
      ['example.com/hold', 'example.com/hold'],
    ],
  ],
  [
    'metadata.ownerReferences',
    [
      [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }],
      [
        { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' },
        { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' },
      ],
      [{ apiVersion: 'v1', kind: 'Event', name: 'n', uid: 'u' }],
      [
        { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u', controller: true, blockOwnerDeletion: true },
        { apiVersion: 'a/v1', kind: 'B', name: 'm', uid: 'w', controller: true },
      ],
      [{ apiVersion: '', kind: '', name: '', uid: '' }],
    ],
  ],
  ['metadata.generation', [1, 7, -1]],
  ['metadata.namespace', ['{{ns}}', 'other', '']],
  ['metadata.uid', ['00000000-0000-4000-8000-000000000001', '']],
  ['metadata.resourceVersion', ['', '0', '7', 'abc']],
  ['metadata.creationTimestamp', ['2001-01-01T00:00:00Z', null]],
  ['metadata.deletionTimestamp', ['2001-01-01T00:00:00Z', '0001-01-01T00:00:00Z', null]],
  ['metadata.deletionGracePeriodSeconds', [0, 30]],
  ['metadata.selfLink', ['/x']],
  ['metadata.generateName', ['gen-', 'Gen_', 'gen-']],
  [
    'metadata.managedFields',
    [
      [],
      [{}],
      [
        {
          manager: 'm',
          operation: 'Update',
          apiVersion: 'v1',
          time: '0001-01-01T00:00:00Z',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:metadata': { 'f:labels': { 'f:app': {} } } },
        },
      ],
      [{ manager: 'm', operation: 'Odd' }],
      [{ manager: 'm', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }],
    ],
  ],
];

const SYSTEM_FIELDS = /\.(uid|creationTimestamp|deletion\w+|selfLink|generation)$/;

const NAMES = ['a', 'a', 'a', 'b', 'b', 'c', 'a.b', 'UPPER', 'a_b', '-x', 'x'.repeat(254)];
const UNKNOWN_FIELDS: readonly (readonly [string, unknown])[] = [
  ['unknown', 1],
  ['metadata.unknown', { a: 1 }],
  ['spec.unknown', ['x']],
  ['status', { phase: 'Active' }],
];

/** A name that an object of the sequence may have. */
export function someName(random: Random, { prefix }: AskedResource): string {
  return prefix + random.pick(NAMES.slice(0, random.chance(0.96) ? 6 : NAMES.length));
}

export interface ObjectWishes {
  /** `undefined`: the object has no name. */
  readonly name: string | undefined;
  /** Whether kind and apiVersion are always present and correct. */
  readonly typed?: boolean;
}

/** An object of a resource: mostly correct, sometimes with an odd value. */
export function someObject(random: Random, resource: AskedResource, { name, typed = false }: ObjectWishes): Plain {
  const object: Plain = {
    ...typeOf(random, resource, typed),
    metadata: name === undefined ? {} : { name },
    ...structuredClone(resource.base),
  };
  while (random.chance(0.45)) {
    const [path, values] = random.pick(random.chance(0.4) ? METADATA_OPTIONS : [...resource.options, ...resource.options]);
    put(object, path, structuredClone(random.pick(values)));
  }
  if (random.chance(0.08)) put(object, ...random.pick(UNKNOWN_FIELDS));
  if (random.chance(0.1)) put(object, random.pick([...METADATA_OPTIONS, ...resource.options])[0], random.pick(ODD_VALUES));
  if (random.chance(0.02)) put(object, random.pick(Object.keys(object)), random.pick(ODD_VALUES));
  return object;
}

/** Sets fields that only servers set. */
export function putSystemFields(random: Random, object: Plain): void {
  const fields = METADATA_OPTIONS.filter(([path]) => SYSTEM_FIELDS.test(path));
  do {
    const [path, values] = random.pick(fields);
    put(object, path, random.pick(values));
  } while (random.chance(0.5));
}

function typeOf(random: Random, { apiVersion, kind }: AskedResource, typed: boolean): Plain {
  if (typed || random.chance(0.85)) return { apiVersion, kind };
  return random.pick([
    {},
    { kind },
    { apiVersion },
    { apiVersion, kind: 'Pod' },
    { apiVersion: 'v9', kind },
    { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
  ]);
}

/** Sets a value at a dotted path, creating its parents. */
export function put(object: Plain, path: string, value: unknown): void {
  const segments = path.split('.');
  const last = segments.pop() ?? '';
  let at = object;
  for (const segment of segments) {
    const next = at[segment];
    if (typeof next !== 'object' || next === null || Array.isArray(next)) at[segment] = {};
    at = at[segment] as Plain;
  }
  at[last] = value;
}
