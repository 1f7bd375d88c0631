import { describe, expect, it } from '@jest/globals';
import type { FieldError } from '../errors/field-error.js';
import type { ObjectMeta } from '../meta/object-meta.schema.js';
import { isPathSegmentName, nameIsConfigMapKey, nameIsDnsLabel, nameIsDnsSubdomain } from './names.js';
import { checkFieldManagerName, validateObjectMeta, validateObjectMetaUpdate } from './object-meta.js';

const texts = (meta: ObjectMeta, validateName = nameIsDnsSubdomain) =>
  validateObjectMeta({ name: 'a', namespace: 'ns', ...meta }, { namespaced: true, validateName }).map((e) => `${e.field}: ${e.body}`);
const NAME_PART =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' };

describe('metadata of new objects', () => {
  it('has no errors if it is valid', () => {
    const meta: ObjectMeta = {
      labels: { 'example.com/a': '', b: 'C_d.e' },
      annotations: { 'Example.com/A': 'anything at all' },
      finalizers: ['x', 'example.com/y'],
      ownerReferences: [{ ...owner, controller: true }],
      managedFields: [{ manager: 'm', operation: 'Update', fieldsType: 'FieldsV1' }],
    };
    expect(texts(meta)).toEqual([]);
  });

  it('needs a name that follows the rule of the resource', () => {
    expect(texts({ name: '' })).toEqual(['metadata.name: Required value: name or generateName is required']);
    expect(texts({ name: 'A' })).toEqual([
      `metadata.name: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ]);
    expect(texts({ name: 'a/b%' }, isPathSegmentName)).toEqual([
      `metadata.name: Invalid value: "a/b%": may not contain '/'`,
      `metadata.name: Invalid value: "a/b%": may not contain '%'`,
    ]);
    expect(texts({ name: 'a\0b' }, isPathSegmentName)).toEqual([
      'metadata.name: Invalid value: "a\\x00b": may not contain a NUL character',
    ]);
  });

  it('reports the path of a map without the key, and every violated rule', () => {
    expect(texts({ labels: { 'a b': '' } })).toEqual([`metadata.labels: Invalid value: "a b": ${NAME_PART}`]);
    expect(texts({ annotations: { '/': 'x' } })).toEqual([
      'metadata.annotations: Invalid value: "/": prefix part must be non-empty',
      'metadata.annotations: Invalid value: "/": name part must be non-empty',
      `metadata.annotations: Invalid value: "/": ${NAME_PART}`,
    ]);
  });

  it('limits annotations to 256 KiB of UTF-8, keys included', () => {
    expect(texts({ annotations: { k: 'é'.repeat(131_071) } })).toEqual([]);
    expect(texts({ annotations: { kk: 'é'.repeat(131_072) } })).toEqual([
      'metadata.annotations: Too long: may not be more than 262144 bytes',
    ]);
  });

  it('allows only one controller, no Event as owner, and no owner without a name', () => {
    const two = [
      { ...owner, controller: true },
      { ...owner, name: 'm', uid: 'w', controller: true },
    ];
    expect(texts({ ownerReferences: two })).toEqual([
      `metadata.ownerReferences: Invalid value: ${JSON.stringify(two)}: Only one reference can have Controller set to true. Found "true" in references for Node/n and Node/m`,
    ]);
    expect(texts({ ownerReferences: [{ ...owner, kind: 'Event', apiVersion: 'v1' }] })[0]).toMatch(/\/v1, Kind=Event is disallowed/);
    expect(texts({ ownerReferences: [{ apiVersion: 'a/b/c', kind: '', name: '', uid: '' }] })).toEqual([
      'metadata.ownerReferences[0].apiVersion: Invalid value: "a/b/c": must be <group>/<version> or <version>',
      'metadata.ownerReferences[0].kind: Required value: must not be empty',
      'metadata.ownerReferences[0].name: Required value: must not be empty',
      'metadata.ownerReferences[0].uid: Required value: must not be empty',
    ]);
    expect(texts({ ownerReferences: [owner, { ...owner, apiVersion: '' }, { ...owner, apiVersion: 'apps/' }] })).toEqual([
      'metadata.ownerReferences[1].apiVersion: Required value: must not be empty',
      'metadata.ownerReferences[2].apiVersion: Invalid value: "apps/": must be <group>/<version> or <version>',
    ]);
  });

  it('refuses the two finalizers of garbage collection together', () => {
    expect(texts({ finalizers: ['orphan', 'foregroundDeletion'] })).toEqual([
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ]);
  });

  it('checks managedFields entry by entry', () => {
    expect(texts({ managedFields: [{ manager: 'é\u0001', operation: '<', fieldsType: 'x', subresource: 's'.repeat(257) }] })).toEqual([
      'metadata.managedFields[0].operation: Invalid value: "\\u003c": must be `Apply` or `Update`',
      'metadata.managedFields[0].fieldsType: Invalid value: "x": must be `FieldsV1`',
      'metadata.managedFields[0].manager: Invalid value: "é\\x01": invalid character U+0001 (at position 2)',
      'metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes',
    ]);
  });

  it('must have a namespace exactly if the type is namespaced', () => {
    const rules = { namespaced: false, validateName: nameIsDnsLabel };
    expect(validateObjectMeta({ name: 'a', namespace: 'b' }, rules).map((e) => e.body)).toEqual(['Forbidden: not allowed on this type']);
    expect(texts({ namespace: '' })).toEqual(['metadata.namespace: Required value']);
  });
});

describe('metadata of updates', () => {
  const old: ObjectMeta = { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '5', generation: 3 };
  const changes = (next: ObjectMeta, before = old) =>
    validateObjectMetaUpdate({ ...before, ...next }, before).map((e) => `${e.field}: ${e.body}`);

  it('has an immutable name, uid and deletion grace period', () => {
    expect(changes({})).toEqual([]);
    expect(changes({ name: 'b', uid: 'v', deletionGracePeriodSeconds: 0 })).toEqual([
      'metadata.name: Invalid value: "b": field is immutable',
      'metadata.uid: Invalid value: "v": field is immutable',
      'metadata.deletionGracePeriodSeconds: Invalid value: 0: field is immutable',
    ]);
  });

  it("shows a deletionTimestamp that is Go's zero time as null", () => {
    const refused = (deletionTimestamp: string) => changes({ deletionTimestamp });
    expect(refused('0001-01-01T00:00:00Z')).toEqual(['metadata.deletionTimestamp: Invalid value: null: field is immutable']);
    expect(refused('2001-01-01T00:00:00Z')).toEqual([
      'metadata.deletionTimestamp: Invalid value: "2001-01-01T00:00:00Z": field is immutable',
    ]);
  });

  it('needs a resourceVersion, and the generation must not decrease', () => {
    expect(changes({ resourceVersion: '', generation: 2 })).toEqual([
      'metadata.resourceVersion: Invalid value: "": must be specified for an update',
      'metadata.generation: Invalid value: 2: must not be decremented',
    ]);
  });

  it('may remove finalizers from a terminating object but not add any', () => {
    const terminating = { ...old, deletionTimestamp: '2024-01-01T00:00:00Z', finalizers: ['a', 'b'] };
    expect(changes({ finalizers: ['b'] }, terminating)).toEqual([]);
    expect(changes({ finalizers: ['b', 'd"', 'c', 'c'] }, terminating)).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"c", "d\\""}',
    ]);
  });
});

describe('names', () => {
  it('are limited in bytes', () => {
    expect(nameIsDnsSubdomain('a'.repeat(253), false)).toEqual([]);
    expect(nameIsDnsSubdomain('a'.repeat(254), false)).toEqual(['must be no more than 253 characters']);
    expect(nameIsConfigMapKey('é'.repeat(127))).toHaveLength(2);
  });

  it('used as a prefix may end in a dash', () => {
    expect(nameIsDnsSubdomain('x--', true)).toEqual([]);
    expect(nameIsDnsSubdomain('-', true)).toHaveLength(1);
    expect(nameIsDnsSubdomain('x-', false)).toHaveLength(1);
    expect(nameIsDnsSubdomain('é-', true)).toHaveLength(1);
  });

  it('of namespaces contain no dots', () => {
    expect(nameIsDnsLabel('a.b', false)).toEqual(['must not contain dots']);
    expect(nameIsDnsLabel('a_b', false)[0]).toMatch(/^a lowercase RFC 1123 label/);
  });

  it('of LeaseCandidates are valid keys of a ConfigMap', () => {
    expect(nameIsConfigMapKey('UPPER_case.x')).toEqual([]);
    expect(nameIsConfigMapKey('..')).toEqual(["must not be '..'"]);
    expect(nameIsConfigMapKey('..a')).toEqual(["must not start with '..'"]);
    expect(nameIsConfigMapKey('a b')[0]).toMatch(/^a valid config key must/);
  });

  it('are refused in linear time', () => {
    expect(nameIsDnsSubdomain(`${'a-'.repeat(1_000_000)}!`, false)).toHaveLength(2);
  });
});

function errorsOf(name: string): FieldError[] {
  const errors: FieldError[] = [];
  checkFieldManagerName(name, 'fieldManager', errors);
  return errors;
}

describe('the name of a field manager', () => {
  it('is reported with each character that cannot be printed', () => {
    expect(errorsOf('é\u0001b\u0002').map(({ body }) => body.replace(/.*: /, ''))).toEqual([
      'invalid character U+0001 (at position 2)',
      'invalid character U+0002 (at position 4)',
    ]);
  });

  it('is looked at up to a limit if it is too long', () => {
    expect(errorsOf('\u0001'.repeat(290_000))).toHaveLength(1 + 4096);
  });
});
