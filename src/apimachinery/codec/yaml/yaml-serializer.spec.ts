import { leaseV1Schema } from '../../../apis/coordination/lease/lease.schema.js';
import { ApiError } from '../../errors/api-error.js';
import { type FieldValidation, kindRegistry } from '../serializer/serializer.js';
import { YamlSerializer } from './yaml-serializer.js';
import { yamlToJson } from './yaml-to-json.js';

const yaml = new YamlSerializer();
const expected = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  schema: leaseV1Schema,
  kinds: kindRegistry({ 'coordination.k8s.io/v1': ['Lease'] }),
};
const decode = (body: string, validation: FieldValidation = 'Warn') => yaml.decodeObject(Buffer.from(body), expected, validation);

function refusal(body: string, validation: FieldValidation = 'Warn'): string {
  try {
    decode(body, validation);
  } catch (error) {
    if (error instanceof ApiError && error.code === 400) return error.message;
    throw error;
  }
  throw new Error('the body was accepted');
}

const json = (text: string) => yamlToJson(Buffer.from(text)).json;

describe('decoding YAML bodies', () => {
  it('reads the first document, with anchors, comments and YAML 1.1 integers', () => {
    const body =
      '---\nmetadata: &m {name: y10, labels: {a: b}} # first\nspec:\n  renewTime: 2026-01-02T03:04:05.000006Z\n  leaseDurationSeconds: 0x10\n---\n[';
    expect(decode(body).object).toEqual({
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
      metadata: { name: 'y10', labels: { a: 'b' } },
      spec: { renewTime: '2026-01-02T03:04:05.000006Z', leaseDurationSeconds: 16 },
    });
  });

  it.each(['{"a": 1} more', '{"a": 1}\n more: 2', '{"a": 1} }'])('ignores everything after the first document: %j', (text) => {
    expect(json(text)).toBe('{"a":1}');
  });

  it.each(['a: b\n}', 'a: "x" y', '[1, 2'])('refuses errors within the first document: %j', (text) => {
    expect(() => json(text)).toThrow(/^yaml: /);
  });

  it('treats an empty body as an empty object', () => {
    expect(decode('').object).toEqual({ kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', metadata: {}, spec: {} });
  });

  it('uses the last duplicate key, and lists the YAML warnings by line before the JSON warnings by key', () => {
    const body =
      'metadata:\n  name: b0\nspec:\n  bogus: 1\n  holderIdentity: a\n  leaseDurationSeconds: 3\n  holderIdentity: b\n  leaseDurationSeconds: 4\nextra: {}\n';
    const { object, warnings } = decode(body);
    expect(object).toMatchObject({ spec: { holderIdentity: 'b', leaseDurationSeconds: 4 } });
    expect(warnings).toEqual([
      'line 7: key "holderIdentity" already set in map',
      'line 8: key "leaseDurationSeconds" already set in map',
      'unknown field "extra"',
      'unknown field "spec.bogus"',
    ]);
    expect(refusal(body, 'Strict')).toBe(
      'Lease in version "v1" cannot be handled as a Lease: strict decoding error: yaml: unmarshal errors:\n' +
        '  line 7: key "holderIdentity" already set in map\n  line 8: key "leaseDurationSeconds" already set in map, unknown field "extra", unknown field "spec.bogus"',
    );
  });

  it('refuses values of the wrong type as JSON does', () => {
    expect(refusal('spec: {holderIdentity: yes}')).toBe(
      'Lease in version "v1" cannot be handled as a Lease: json: cannot unmarshal bool into Go struct field LeaseSpec.spec.holderIdentity of type string',
    );
    expect(refusal('just text')).toContain('json: cannot unmarshal string into Go value of type struct');
  });

  it.each([
    ['metadata: [', 'yaml: line 1: did not find expected node content'],
    ['a: [1, 2', "yaml: line 1: did not find expected ',' or ']'"],
    ['\tmetadata: {}\n', 'yaml: found character that cannot start any token'],
    [': : :', 'yaml: did not find expected key'],
    ['a: b\n\n\nc: d: e', 'yaml: line 4: mapping values are not allowed in this context'],
    ['a: "x', 'yaml: found unexpected end of stream'],
    ['a: *nope', "yaml: unknown anchor 'nope' referenced"],
    ['x: &a [*a]', "yaml: anchor 'a' value contains itself"],
    ['%YAML 9.9\n---\na: b', 'yaml: found incompatible YAML document'],
    ['a: \x01', 'yaml: control characters are not allowed'],
    [`a: ${'['.repeat(5000)}1`, "yaml: line 1: did not find expected ',' or ']'"],
  ])('reports what is wrong with %j', (body, text) => {
    expect(refusal(body)).toContain(`the object provided is unrecognized (must be of type Lease): ${text} (`);
  });

  it('refuses documents with too many tokens, but not long documents with few', () => {
    const long = `spec:\n  holderIdentity: >\n${'    a\n'.repeat(9_000)}`;
    expect(yamlToJson(Buffer.from(long)).json.length).toBe(18_031);
    for (const piece of ['k: x\n', '[a, ', '- ', '#\n', '"\\q" ']) {
      expect(() => yamlToJson(Buffer.from(piece.repeat(9_900)))).toThrow('yaml: document has too many tokens');
    }
  });

  it('refuses documents with many lines or characters, unless they are JSON', () => {
    for (const piece of ['\n', 'k: x\n', '  a\n', 'a '.repeat(30)]) {
      expect(() => yamlToJson(Buffer.from(`a: >\n${piece.repeat(12_000)}`))).toThrow('yaml: document is too long');
    }
    const text = 'a '.repeat(500_000);
    expect(yamlToJson(Buffer.from(JSON.stringify({ text })))).toEqual({ json: JSON.stringify({ text }), duplicates: [] });
  });

  it('refuses excessive aliasing', () => {
    const rows = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (const [name, of] of ['ba', 'cb', 'dc', 'ed', 'fe', 'gf']) rows.push(`${name}: &${name} [${Array(9).fill(`*${of}`).join(',')}]`);
    expect(() => json(rows.join('\n'))).toThrow('yaml: document contains excessive aliasing');
  });

  it('refuses merges that multiply, in keys or in levels', () => {
    const levels = (count: number, root: string) =>
      [`a0: &a0 ${root}`, ...Array.from({ length: count }, (_, at) => `a${at + 1}: &a${at + 1} {<<: [*a${at}, *a${at}]}`)].join('\n');
    const keys = Array.from({ length: 500 }, (_, at) => `k${at}: 1`).join(', ');
    for (const body of [levels(36, '{x: 1}'), levels(200, '{x: 1}'), levels(200, `{${keys}}`)]) {
      expect(() => json(body)).toThrow('yaml: document contains excessive aliasing');
    }
    expect(json(levels(5, '{x: 1}'))).toContain('"a5":{"x":1}');
  });

  it('refuses aliases that repeat a long text, as a value and as a key', () => {
    const text = 'x'.repeat(10_000);
    for (const alias of ['*a', '{? *a : 1}']) {
      const body = `a: &a ${text}\nb: [${Array(600).fill(alias).join(',')}]`;
      expect(() => json(body)).toThrow('yaml: document contains excessive aliasing');
    }
  });
});

describe('YAML scalars', () => {
  it.each([
    ['010', '8'],
    ['08', '8'],
    ['0o17', '15'],
    ['-0b11', '-3'],
    ['1_000', '1000'],
    ['18446744073709551615', '18446744073709551615'],
    ['1e3', '1000'],
    ['.5', '0.5'],
    ['on', 'true'],
    ['No', 'false'],
    ['~', 'null'],
    ['12:30', '"12:30"'],
    ['2026-01-02', '"2026-01-02"'],
    ['"1"', '"1"'],
    ['!!str 5', '"5"'],
    ['!!int "5"', '5'],
    ['!!binary aGk=', '"hi"'],
    ['{b: 1, a: 2}', '{"a":2,"b":1}'],
    ['{<<: {a: 1}, b: 2}', '{"a":1,"b":2}'],
  ])('reads %s as %s', (text, value) => {
    expect(json(text)).toBe(value);
  });
});

describe('encoding YAML', () => {
  it('quotes what YAML 1.1 would not read as a string, and sorts keys', () => {
    const object = {
      metadata: { labels: { b: 'yes', a: '007' }, creationTimestamp: '2026-01-02T03:04:05Z' },
      spec: { holderIdentity: 'é: #x' },
    };
    expect(yaml.encodeObject(leaseV1Schema, object)).toBe(
      'metadata:\n  creationTimestamp: "2026-01-02T03:04:05Z"\n  labels:\n    a: "007"\n    b: "yes"\nspec:\n  holderIdentity: \'é: #x\'\n',
    );
  });

  it('decodes its own output', () => {
    const object = {
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
      metadata: { name: 'x', annotations: { a: 'line\nline', '1': 'null', '': ' ' } },
      spec: { leaseTransitions: 0 },
    };
    expect(decode(yaml.encodeObject(leaseV1Schema, object)).object).toEqual(object);
  });

  it('writes lists', () => {
    const item = yaml.encodeItem(leaseV1Schema, { metadata: { name: 'a' } });
    const head = { kind: 'LeaseList', apiVersion: 'coordination.k8s.io/v1', metadata: { resourceVersion: '5' } };
    const empty = yaml.encodeItem(leaseV1Schema, {});
    expect(yaml.encodeList(head, [yaml.joinItems([item, empty]), yaml.joinItems([empty])]).toString()).toBe(
      'apiVersion: coordination.k8s.io/v1\nitems:\n- metadata:\n    name: a\n  spec: {}\n- metadata: {}\n  spec: {}\n- metadata: {}\n  spec: {}\nkind: LeaseList\nmetadata:\n  resourceVersion: "5"\n',
    );
  });
});
