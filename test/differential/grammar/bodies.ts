import type { Random } from '../../fuzz/random.js';
import type { Plain, QuestionBody } from '../question.js';
import type { AskedResource } from './resources.js';

const TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  cbor: 'application/cbor',
  protobuf: 'application/vnd.kubernetes.protobuf',
};

/** The body of a create or update in any media type, sometimes corrupted. */
export function objectBody(random: Random, resource: AskedResource, object: Plain): QuestionBody {
  if (random.chance(0.03)) return spoiledBody(random, object);
  const roll = random.below(100);
  const encoding = roll < 62 ? 'json' : roll < 78 ? 'yaml' : roll < 90 ? 'cbor' : 'protobuf';
  if (encoding === 'protobuf' && !(resource.protobuf && object['kind'] === resource.kind && isWritable(object))) return json(object);
  const contentType = random.chance(0.97)
    ? TYPES[encoding]
    : random.pick([
        undefined,
        'text/plain',
        'application/json;charset=utf-8',
        'APPLICATION/JSON',
        '',
        'application/json; x',
        '*/*',
        'json',
      ]);
  return { encoding, contentType, value: object };
}

function json(value: unknown): QuestionBody {
  return { encoding: 'json', contentType: 'application/json', value };
}

/** Whether protobuf can express it: only values that match the message types. */
function isWritable({ metadata, spec, status }: Plain): boolean {
  const { labels, annotations, finalizers, ownerReferences, managedFields, ...plain } = (metadata ?? {}) as Plain;
  if (managedFields !== undefined) return false;
  const maps = [labels, annotations].every(
    (map) => map === undefined || (isObject(map) && Object.values(map).every((value) => typeof value === 'string')),
  );
  const lists = [finalizers, ownerReferences].every(
    (list) => list === undefined || (Array.isArray(list) && list.every((item) => item !== null)),
  );
  const scalars = Object.entries({ ...plain, ...(spec as Plain), ...(status as Plain) });
  const parts = [spec, status].every((part) => part === undefined || isObject(part));
  return maps && lists && parts && isObject(metadata) && scalars.every(([name, value]) => fits(name, value));
}

function fits(name: string, value: unknown): boolean {
  if (/Time(stamp)?$/.test(name)) return typeof value === 'string' && /^(?!0001).*Z$/.test(value) && !Number.isNaN(Date.parse(value));
  if (/Seconds$|Transitions$|generation/.test(name)) return Number.isInteger(value) && (value as number) >= 0;
  if (name === 'finalizers') return Array.isArray(value) && value.every((item) => typeof item === 'string');
  return typeof value === 'string';
}

function isObject(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const RAW_YAML = [
  'metadata: {name: a}\nrules:\n- apiGroups: [a]\n  resources:\n  - */status\n  verbs: [get]\n',
  'metadata: {name: *}\nrules: [\n',
  'metadata: {name: a\n',
  '\tmetadata: {name: a}\n',
  'metadata: {name: a}\n---\nmetadata: {name: b}\n',
  '"metadata": {"name": "\\u0061"}\n',
  'metadata:\n  name: a\n  name: b\n',
  '&x metadata: {name: a}\n',
  'metadata: {name: *x}\n',
  '- a\n- b\n',
  'metadata: {name: a, labels: {app: yes}}\n',
  'metadata: {name: a, labels: {app: 1}}\n',
  'metadata: {name: a, annotations: {x: 2024-01-02}}\n',
  'metadata: {name: a, annotations: {x: !!binary aGk=}}\n',
  'metadata: {name: a, annotations: {<<: {y: z}}}\n',
  '"metadata": {"name": "a\\/b"}\n',
  '%YAML 1.1\n---\nmetadata: {name: a}\n',
  '\ufeffmetadata: {name: a}\n',
  '',
  'null\n',
  '3\n',
];
const RAW_JSON = [
  '',
  '{',
  '{}',
  '[]',
  'null',
  '"x"',
  '{"metadata":{"name":"a"}} x',
  '{"metadata":{"name":"a","name":"b"}}',
  '{"metadata":{"name":"a"},"Metadata":{"name":"b"}}',
  '{"metadata":{"name":"a","generation":1e400}}',
  '{"metadata":{"name":"a","generation":1.0}}',
  '{"metadata":{"name":"a","generation":9223372036854775808}}',
  '{"metadata":{"name":"\\ud800"}}',
  '{"metadata":{"name":"a\u0001"}}',
  '{"spec":{"leaseDurationSeconds":"15"},"metadata":{"name":"a"}}',
  '{"spec":{"leaseDurationSeconds":3000000000},"metadata":{"name":"a"}}',
  '{"kind":1}',
  '{"kind":"Lease","apiVersion":"a/b/c"}',
];

function spoiledBody(random: Random, object: Plain): QuestionBody {
  const text = JSON.stringify(object);
  const cut = text.slice(0, random.below(text.length));
  return random.pick<QuestionBody>([
    { encoding: 'raw', contentType: TYPES['yaml'], value: random.pick(RAW_YAML) },
    { encoding: 'raw', contentType: TYPES['json'], value: random.pick(RAW_JSON) },
    { encoding: 'raw', contentType: TYPES['json'], value: cut },
    {
      encoding: 'base64',
      contentType: TYPES['cbor'],
      value: random.pick(['', '2dn3', '2dn3oQ==', '2dn3oEA=', '2dn3gA==', '9g==', '2dn3v0EA/w==']),
    },
    { encoding: 'base64', contentType: TYPES['protobuf'], value: random.pick(['', 'azhzAA==', 'azhzAAoA', 'azhzAP8=', 'eHh4eA==']) },
  ]);
}

const PRECONDITIONS: readonly Plain[] = [
  { uid: '{{uid:PATH/a}}' },
  { resourceVersion: '{{rv:PATH/a}}' },
  { resourceVersion: '1' },
  { uid: 'x' },
  {},
];

/** DeleteOptions as a request body. */
export function deleteOptions(random: Random): QuestionBody {
  const value: Plain = random.chance(0.9)
    ? { kind: 'DeleteOptions', apiVersion: 'v1' }
    : random.pick([{}, { kind: 'Odd' }, { apiVersion: 'v9' }]);
  if (random.chance(0.5)) value['propagationPolicy'] = random.pick(['Background', 'Foreground', 'Orphan', 'Odd', '']);
  if (random.chance(0.3)) value['preconditions'] = random.pick(PRECONDITIONS);
  if (random.chance(0.1)) value['orphanDependents'] = random.chance(0.5);
  if (random.chance(0.2)) value['dryRun'] = random.pick([['All'], ['Odd'], [], 'All']);
  if (random.chance(0.08)) value['ignoreStoreReadErrorWithClusterBreakingPotential'] = random.pick([true, true, true, false, null, 'x']);
  if (random.chance(0.04)) value['resourceVersion'] = '1';
  if (random.chance(0.1)) value['gracePeriodSeconds'] = random.pick([0, 30, -1, 'x']);
  const encoding = random.pick(['json', 'json', 'json', 'yaml', 'cbor'] as const);
  return { encoding, contentType: TYPES[encoding], value };
}
