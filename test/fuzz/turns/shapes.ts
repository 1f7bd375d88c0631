import type { Value } from './encodings.js';

const wide = (count: number, member: (at: number) => readonly [string, Value]): Value =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => member(at)));
const many = (count: number, item: (at: number) => Value): Value => Array.from({ length: count }, (_, at) => item(at));
const deep = (count: number): Value => {
  let value: Value = 1;
  for (let level = 0; level < count; level++) value = level % 2 === 0 ? { a: value } : [value];
  return value;
};

/** Parts of the metadata of any object, by size. */
export const METADATA: Readonly<Record<string, (size: number) => Readonly<Record<string, Value>>>> = {
  labels: (size) => ({ labels: wide(size, (at) => [`k${at}`, 'v']) }),
  'bad labels': (size) => ({ labels: wide(size, (at) => [`-k${at}é`, 'ü!'.repeat(40)]) }),
  'annotations, long keys': (size) => ({ annotations: wide(size, (at) => [`${'É'.repeat(100)}${at}`, '']) }),
  'annotations, keys of surrogates': (size) => ({ annotations: wide(size, (at) => [`${'😀'.repeat(50)}${at}`, '']) }),
  'one long text': (size) => ({ annotations: { a: 'x'.repeat(size * 10) } }),
  'one long text of escapes': (size) => ({ annotations: { a: '\u0001"\\'.repeat(size) } }),
  'one long name': (size) => ({ name: 'Ü'.repeat(size * 5) }),
  'one long key': (size) => ({ labels: { ['ß'.repeat(size * 5)]: 'v' } }),
  finalizers: (size) => ({ finalizers: many(size, (at) => `example.com/${at}`) }),
  'bad finalizers': (size) => ({ finalizers: many(size, (at) => `é${at}`) }),
  owners: (size) => ({
    ownerReferences: many(Math.ceil(size / 5), (at) => ({ apiVersion: 'v1', kind: 'K', name: `n${at}`, uid: `u${at}` })),
  }),
  'empty owners': (size) => ({ ownerReferences: many(size, () => ({})) }),
  'managed fields, wide': (size) => ({ managedFields: [entry(wide(size, (at) => [`f:k${at}`, {}]))] }),
  'managed fields, deep': (size) => ({ managedFields: [entry(wide(1, () => ['f:a', deepFields(Math.min(size, 900))]))] }),
  'managed fields, many': (size) => ({ managedFields: many(Math.ceil(size / 8), () => entry({ 'f:spec': { 'f:a': {} } })) }),
};

/** Fields that no object has. */
export const UNKNOWN: Readonly<Record<string, (size: number) => Readonly<Record<string, Value>>>> = {
  'unknown fields': (size) => wide(size, (at) => [`x${at}`, 1]) as Record<string, Value>,
  'unknown list': (size) => ({ x: many(size, () => 0) }),
  'unknown depth': (size) => ({ x: deep(Math.min(size, 3000)) }),
  'unknown long number': (size) => ({ x: Number(`1e${Math.min(size, 300)}`) }),
};

function entry(fieldsV1: Value): Value {
  return {
    manager: 'm',
    operation: 'Update',
    apiVersion: 'coordination.k8s.io/v1',
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1,
  };
}

function deepFields(count: number): Value {
  let value: Value = {};
  for (let level = 0; level < count; level++) value = { 'f:a': value };
  return value;
}

/** Texts that are JSON or YAML in unusual forms, by size. */
export const TEXTS: Readonly<Record<string, (size: number) => string>> = {
  'white space': (size) => `{${' '.repeat(size * 10)}}`,
  'lines only': (size) => '\n'.repeat(size * 10),
  'duplicate keys': (size) => `{${Array<string>(size).fill('"kind":"Lease"').join(',')}}`,
  'duplicate labels': (size) => `{"metadata":{"labels":{${Array<string>(size).fill('"a":"b"').join(',')}}}}`,
  'open brackets': (size) => `{"x":${'['.repeat(size)}`,
  'long digits': (size) => `{"spec":{"leaseDurationSeconds":${'1'.repeat(size * 10)}}}`,
  'unicode escapes': (size) => `{"metadata":{"annotations":{"a":"${'\\u00e9'.repeat(size)}"}}}`,
  'surrogate escapes': (size) => `{"metadata":{"annotations":{"a":"${'\\ud83d'.repeat(size)}"}}}`,
  backslashes: (size) => `{"metadata":{"annotations":{"a":"${'\\\\'.repeat(size * 4)}"}}}`,
  'no JSON': (size) => 'x'.repeat(size * 10),
  'bytes that are not UTF-8': (size) => `{"a":"${'\ud800'.repeat(size * 3)}"}`,
};

/** Texts that only YAML has. */
export const YAML_TEXTS: Readonly<Record<string, (size: number) => string>> = {
  merges: (size) =>
    ['a0: &a0 {x: 1}', ...Array.from({ length: Math.min(size, 1900) }, (_, at) => `a${at + 1}: &a${at + 1} {<<: [*a${at}, *a${at}]}`)].join(
      '\n',
    ),
  'merged keys': (size) =>
    `a: &a {${Array.from({ length: size }, (_, at) => `k${at}: 1`).join(', ')}}\n${'b: {<<: *a}\n'.repeat(size / 10)}`,
  aliases: (size) => `a: &a [${'x,'.repeat(100)}x]\nb: [${Array<string>(size).fill('*a').join(',')}]`,
  'aliases of a long text': (size) =>
    `a: &a ${'x'.repeat(100_000)}\nb: [${Array<string>(Math.ceil(size / 100))
      .fill('*a')
      .join(',')}]`,
  'block mapping': (size) => Array.from({ length: size }, (_, at) => `k${at}: v\n`).join(''),
  'block sequence': (size) => '- x\n'.repeat(size),
  'nested sequences': (size) => '- '.repeat(size),
  'folded text': (size) => `a: >\n${'  b\n'.repeat(size)}`,
  'double-quoted lines': (size) => `a: "${'\n'.repeat(size)}"`,
  'double-quoted escapes': (size) => `a: "${'\\n'.repeat(size * 5)}"`,
  'plain text': (size) => `a: ${'b '.repeat(size * 5)}`,
  comments: (size) => '#\n'.repeat(size),
  'long key': (size) => `? ${'k'.repeat(size * 10)}\n: v`,
  documents: (size) => 'a\n---\n'.repeat(size),
  directives: (size) => `${'%TAG ! x\n'.repeat(size)}--- a`,
  tags: (size) => `[${'!t a,'.repeat(size)}]`,
};
