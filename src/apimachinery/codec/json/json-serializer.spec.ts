import { leaseV1Schema } from '../../../apis/coordination/lease/lease.schema.js';
import { ApiError } from '../../errors/api-error.js';
import { type ExpectedObject, type FieldValidation, kindRegistry } from '../serializer/serializer.js';
import { JsonSerializer } from './json-serializer.js';

const json = new JsonSerializer();
const expected: ExpectedObject = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  schema: leaseV1Schema,
  kinds: kindRegistry({
    'coordination.k8s.io/v1': ['Lease'],
    'coordination.k8s.io/v1beta1': ['Lease', 'LeaseCandidate'],
    v1: ['Namespace'],
  }),
};

function decode(body: string | Buffer, validation: FieldValidation = 'Warn') {
  return json.decodeObject(Buffer.from(body), expected, validation);
}

function refusal(body: string | Buffer, validation: FieldValidation = 'Warn'): string {
  try {
    decode(body, validation);
  } catch (error) {
    if (error instanceof ApiError && error.code === 400) return error.message;
    throw error;
  }
  throw new Error('the body was accepted');
}

const lease = (spec: string, head = '"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"x"}') =>
  `{${head},"spec":${spec}}`;
const cannot = 'Lease in version "v1" cannot be handled as a Lease: ';
const unrecognized = "the object provided is unrecognized (must be of type Lease): couldn't get version/kind; json parse error: ";

describe('decoding JSON bodies', () => {
  it('fills in kind and version if the body omits them', () => {
    expect(decode('{"metadata":{"name":"x"}}').object).toEqual({
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
      metadata: { name: 'x' },
      spec: {},
    });
  });

  it('treats null and zero values as absent, except where absence has another meaning', () => {
    const { object } = decode(
      '{"metadata":{"name":"x","creationTimestamp":null,"generation":0,"labels":{}},"spec":{"holderIdentity":"","leaseTransitions":0,"strategy":null}}',
    );
    expect(object).toEqual({
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
      metadata: { name: 'x' },
      spec: { holderIdentity: '', leaseTransitions: 0 },
    });
  });

  it('merges duplicate objects and uses the last of duplicate scalars', () => {
    const { object, warnings } = decode(lease('{"holderIdentity":"a","leaseDurationSeconds":1},"spec":{"holderIdentity":"b"}'));
    expect(object).toMatchObject({ spec: { holderIdentity: 'b', leaseDurationSeconds: 1 } });
    expect(warnings).toEqual(['duplicate field "spec"']);
  });

  it('reports unknown and duplicate fields in document order, each once', () => {
    const body =
      '{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","zeta":1,"alpha":2,"metadata":{"name":"v0","unknown1":1,"labels":{"a":"1","a":"2"}},' +
      '"spec":{"holderIdentity":"a","holderIdentity":"b","bogus2":{"x":1},"bogus1":[1]},"zeta":3}';
    const findings = [
      'unknown field "zeta"',
      'unknown field "alpha"',
      'unknown field "metadata.unknown1"',
      'duplicate field "metadata.labels.a"',
      'duplicate field "spec.holderIdentity"',
      'unknown field "spec.bogus2"',
      'unknown field "spec.bogus1"',
    ];
    expect(decode(body).warnings).toEqual(findings);
    expect(decode(body, 'Ignore').warnings).toEqual([]);
    expect(refusal(body, 'Strict')).toBe(`${cannot}strict decoding error: ${findings.join(', ')}`);
  });

  it('finds duplicates with different escapes', () => {
    expect(decode(lease('{"holder\\u0049dentity":"a","holderIdentity":"b"}')).warnings).toEqual(['duplicate field "spec.holderIdentity"']);
  });

  it('reports at most 100 findings', () => {
    const fields = Array.from({ length: 150 }, (_, n) => `"f${n}":0`).join(',');
    expect(decode(lease(`{${fields}}`)).warnings).toHaveLength(100);
  });

  it.each([
    ['{"metadata":[]}', 'json: cannot unmarshal array into Go struct field Lease.metadata of type v1.ObjectMeta'],
    ['{"metadata":{"name":5}}', 'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string'],
    ['{"metadata":{"uid":5}}', 'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.uid of type types.UID'],
    ['{"metadata":{"labels":{"a":1}}}', 'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string'],
    [
      '{"metadata":{"labels":[]}}',
      'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
    ],
    [
      '{"metadata":{"ownerReferences":{}}}',
      'json: cannot unmarshal object into Go struct field ObjectMeta.metadata.ownerReferences of type []v1.OwnerReference',
    ],
    [
      '{"metadata":{"ownerReferences":[{"uid":{}}]}}',
      'json: cannot unmarshal object into Go struct field OwnerReference.metadata.ownerReferences.uid of type types.UID',
    ],
    [
      '{"spec":{"leaseDurationSeconds":"15"}}',
      'json: cannot unmarshal string into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32',
    ],
    [
      '{"spec":{"leaseDurationSeconds":1.5}}',
      'json: cannot unmarshal number 1.5 into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32',
    ],
    [
      '{"spec":{"leaseDurationSeconds":1.0}}',
      'json: cannot unmarshal number 1.0 into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32',
    ],
    [
      '{"spec":{"leaseDurationSeconds":2147483648}}',
      'json: cannot unmarshal number 2147483648 into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32',
    ],
    ['{"spec":{"renewTime":12345}}', 'json: cannot unmarshal number into Go struct field LeaseSpec.spec.renewTime of type string'],
    [
      '{"spec":{"strategy":true}}',
      'json: cannot unmarshal bool into Go struct field LeaseSpec.spec.strategy of type v1.CoordinatedLeaseStrategy',
    ],
  ])('refuses %s', (body, text) => {
    expect(refusal(body)).toBe(cannot + text);
  });

  it('reports the first type error, but a bad time before any', () => {
    const bad = '"renewTime":"yesterday"';
    expect(refusal(`{"spec":{"holderIdentity":1,"leaseTransitions":"x"}}`)).toContain('LeaseSpec.spec.holderIdentity');
    expect(refusal(`{"spec":{"holderIdentity":1,${bad}}}`)).toBe(
      `${cannot}parsing time "yesterday" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "yesterday" as "2006"`,
    );
  });

  it.each([
    ['', 'unexpected end of JSON input (<empty>)'],
    ['{', 'unexpected end of JSON input ({)'],
    ['{"metadata":{"name":"x"}} trailing', 'invalid character \'t\' after top-level value ({"metadata":{"name":"x"}} trai ...)'],
    [
      'apiVersion: coordination.k8s.io/v1\n',
      "invalid character 'a' looking for beginning of value (61706956657273696f6e3a20636f6f7264696e6174696f6e2e6b38732e69 ...)",
    ],
    [
      '[]',
      'json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (5b5d)',
    ],
  ])('does not recognize %j', (body, text) => {
    expect(refusal(body)).toBe(unrecognized + text);
  });

  it.each([
    [
      '{"apiVersion":"coordination.k8s.io/v1","kind":"Pod"}',
      'Pod in version "v1" cannot be handled as a Lease: no kind "Pod" is registered for version "coordination.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      '{"apiVersion":"v1","kind":"Lease"}',
      'Lease in version "v1" cannot be handled as a Lease: no kind "Lease" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      '{"apiVersion":"coordination.k8s.io/v1","kind":"LeaseList"}',
      'LeaseList in version "v1" cannot be handled as a Lease: converting (v1.LeaseList) to (coordination.Lease): unknown conversion',
    ],
    [
      '{"apiVersion":"coordination.k8s.io/v1beta1","kind":"Lease"}',
      'the API version in the data (coordination.k8s.io/v1beta1) does not match the expected API version (coordination.k8s.io/v1)',
    ],
    [
      '{"apiversion":"v1","kind":"Lease"}',
      'Lease in version "v1" cannot be handled as a Lease: no kind "Lease" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      '{"apiVersion":"a/b/c","kind":"Lease"}',
      'the object provided is unrecognized (must be of type Lease): unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","kind":" ...)',
    ],
  ])('refuses the kind of %s', (body, text) => {
    expect(refusal(body)).toBe(text);
  });

  it('treats keys that are JavaScript object properties like any other', () => {
    const { object, warnings } = decode(
      lease('{}', '"metadata":{"name":"x","labels":{"__proto__":"a","constructor":"b"}},"__proto__":{"x":1},"toString":1'),
    );
    expect(Object.entries(object.metadata.labels!)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
    expect(warnings).toEqual(['unknown field "__proto__"', 'unknown field "toString"']);
    expect(json.encodeObject(leaseV1Schema, object)).toContain('"labels":{"__proto__":"a","constructor":"b"}');
  });

  it('replaces invalid Unicode', () => {
    expect(decode(Buffer.from('7b226d65746164617461223a7b226e616d65223a2261ff80227d7d', 'hex')).object.metadata.name).toBe('a\ufffd\ufffd');
    expect(decode('{"metadata":{"name":"a\\ud800b"}}').object.metadata.name).toBe('a\ufffdb');
    expect(decode('{"metadata":{"name":"\\ud83d\\ude00"}}').object.metadata.name).toBe('😀');
  });
});

it('refuses DeleteOptions of another kind; the version defaults to meta.k8s.io/v1', () => {
  const none = (version: string) => `no kind "Nope" is registered for version "${version}" in scheme "pkg/runtime/scheme.go:111"`;
  expect(() => json.decodeDeleteOptions(Buffer.from('{"kind":"Nope"}'))).toThrow(none('meta.k8s.io/v1'));
  expect(() => json.decodeDeleteOptions(Buffer.from('{"kind":"Nope","apiVersion":"v1"}'))).toThrow(none('v1'));
});

describe('encoding JSON', () => {
  it('writes fields in wire order, sorts map keys by bytes and escapes as Go does', () => {
    const object = {
      spec: { holderIdentity: 'é <a> & "b" \u2028 \u0007' },
      metadata: { labels: { '\u{10000}': 'x', '\uffff': 'y', a: 'z' }, name: 'n' },
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
    };
    expect(json.encodeObject(leaseV1Schema, object)).toBe(
      '{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"n","labels":{"a":"z","\uffff":"y","\u{10000}":"x"}},' +
        '"spec":{"holderIdentity":"é \\u003ca\\u003e \\u0026 \\"b\\" \\u2028 \\u0007"}}\n',
    );
  });

  it('writes metadata and spec even if empty, and a zero time as null', () => {
    expect(json.encodeObject(leaseV1Schema, {})).toBe('{"metadata":{},"spec":{}}\n');
    expect(json.encodeObject(leaseV1Schema, { spec: { renewTime: '0001-01-01T00:00:00.000000Z' } })).toBe(
      '{"metadata":{},"spec":{"renewTime":null}}\n',
    );
  });

  it('writes null for a zero time that is stored as null, and for no other field', () => {
    expect(json.encodeObject(leaseV1Schema, { spec: { renewTime: null, holderIdentity: null } })).toBe(
      '{"metadata":{},"spec":{"renewTime":null}}\n',
    );
  });

  it('indents without a final newline', () => {
    expect(json.encodeObject(leaseV1Schema, { metadata: { name: 'a:{,[', finalizers: ['x', 'y'] } }, { pretty: true })).toBe(
      '{\n  "metadata": {\n    "name": "a:{,[",\n    "finalizers": [\n      "x",\n      "y"\n    ]\n  },\n  "spec": {}\n}',
    );
  });

  it('writes lists from encoded items, and watch events from encoded objects', () => {
    const [named, empty] = [json.encodeItem(leaseV1Schema, { metadata: { name: 'a' } }), json.encodeItem(leaseV1Schema, {})];
    expect(
      json
        .encodeList(
          { kind: 'LeaseList', apiVersion: 'coordination.k8s.io/v1', metadata: { resourceVersion: '7', remainingItemCount: 0 } },
          [json.joinItems([named, empty]), json.joinItems([empty])],
        )
        .toString(),
    ).toBe(
      '{"kind":"LeaseList","apiVersion":"coordination.k8s.io/v1","metadata":{"resourceVersion":"7","remainingItemCount":0},' +
        '"items":[{"metadata":{"name":"a"},"spec":{}},{"metadata":{},"spec":{}},{"metadata":{},"spec":{}}]}\n',
    );
    expect(json.encodeWatchEvent('ADDED', json.encodeEventObject(leaseV1Schema, {}))).toBe(
      '{"type":"ADDED","object":{"metadata":{},"spec":{}}}\n',
    );
  });
});
