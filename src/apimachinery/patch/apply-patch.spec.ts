import { describe, expect, it } from '@jest/globals';
import { type ExpectedObject, type FieldValidation, kindRegistry } from '../codec/serializer/serializer.js';
import { type KubeObject, objectFields } from '../meta/object-meta.schema.js';
import { bool, field, int32, microTime, string, struct } from '../schema/struct-type.js';
import { type PatchType, applyPatch } from './apply-patch.js';

const spec = struct('io.k8s.api.things.v1.ThingSpec', '', [
  field('holder', 1, string('v1.Holder'), 'optional', ''),
  field('seconds', 2, int32(), 'optional', ''),
  field('at', 3, microTime(), 'optional', ''),
  field('on', 4, bool(), 'optional', ''),
]);
const schema = struct('io.k8s.api.things.v1.Thing', '', [...objectFields(''), field('spec', 2, spec, 'always', '')]);
const expected: ExpectedObject = {
  group: 'things.k8s.io',
  version: 'v1',
  kind: 'Thing',
  schema,
  kinds: kindRegistry({ 'things.k8s.io/v1': ['Thing', 'Other'], 'things.k8s.io/v2': ['Thing'] }),
};
const live = Object.freeze({
  kind: 'Thing',
  apiVersion: 'things.k8s.io/v1',
  metadata: Object.freeze({ name: 'a', resourceVersion: '7', finalizers: Object.freeze(['x']) as string[] }),
  spec: Object.freeze({ holder: 'h' }),
}) as KubeObject;

const apply = (type: PatchType, patch: unknown, validation: FieldValidation = 'Warn') =>
  applyPatch({ type, text: typeof patch === 'string' ? patch : JSON.stringify(patch), expected, validation }, live);
const problem = (type: PatchType, patch: unknown, validation?: FieldValidation) => {
  try {
    apply(type, patch, validation);
  } catch (error) {
    const { message, code } = error as { message: string; code: number };
    return `${code} ${message.replace(/"(?:[^"\\]|\\.)*": (?=[^"\\]*|json|strict)/, (shown) => (shown.startsWith('"{') ? '' : shown))}`;
  }
  throw new Error('it was accepted');
};

describe('a patch', () => {
  it('creates a new object and does not modify the old one', () => {
    const changed = { ...live, spec: { holder: 'i', seconds: 3 } };
    const operations = [
      { op: 'test', path: '/metadata/resourceVersion', value: '7' },
      { op: 'replace', path: '/spec', value: changed.spec },
    ];
    expect(apply('json', operations)).toEqual({ object: changed, warnings: [] });
    expect(apply('merge', { spec: changed.spec })).toEqual({ object: changed, warnings: [] });
    expect(apply('strategic', { spec: changed.spec })).toEqual({ object: changed, warnings: [] });
    expect(apply('strategic', 'null').object).toEqual(live);
  });

  it('reports unknown and duplicate fields as warnings or as an error, or ignores them', () => {
    const patch = '{"spec":{"zz":1,"aa":{},"holder":"i","holder":"j"}}';
    const findings = ['duplicate field "spec.holder"', 'unknown field "spec.aa"', 'unknown field "spec.zz"'];
    for (const type of ['merge', 'strategic'] as const) {
      expect(apply(type, patch).warnings).toEqual(findings);
      expect(apply(type, patch, 'Ignore').warnings).toEqual([]);
      expect(problem(type, patch, 'Strict')).toContain(`strict decoding error: ${findings.join(', ')}`);
    }
    expect(problem('strategic', patch, 'Strict')).toContain('Invalid value: "map[spec:map[aa:map[] holder:j zz:1]]": ');
    expect(apply('json', '[{"op":"add","path":"/zz","value":1,"x":2}]').warnings).toEqual([
      'json patch unknown field "[0].x"',
      'unknown field "zz"',
    ]);
  });

  it('is refused if its result does not fit the type', () => {
    const start = '422  "" is invalid: patch: Invalid value: ';
    expect(problem('merge', { spec: { seconds: '5' } })).toBe(
      `${start}json: cannot unmarshal string into Go struct field ThingSpec.spec.seconds of type int32`,
    );
    expect(problem('json', [{ op: 'replace', path: '', value: [] }])).toContain(`couldn't get version/kind; json parse error: `);
    expect(problem('strategic', { spec: [] })).toBe(`${start}"map[spec:[]]": cannot restore struct from: slice`);
    expect(problem('strategic', { metadata: { labels: 5 } })).toBe(`${start}"map[metadata:map[labels:5]]": cannot restore map from int64`);
    expect(problem('strategic', { spec: { holder: 5 } })).toBe(`${start}"map[spec:map[holder:5]]": cannot convert int64 to v1.Holder`);
    expect(problem('strategic', { spec: { seconds: 20.5 } })).toBe(
      `${start}"map[spec:map[seconds:20.5]]": cannot convert float64 to int32`,
    );
    expect(problem('strategic', { spec: { on: 'x' } })).toBe(`${start}"map[spec:map[on:x]]": unrecognized type: bool`);
    expect(problem('strategic', { spec: { at: 5 } })).toBe(
      `${start}"map[spec:map[at:5]]": json: cannot unmarshal number into Go value of type string`,
    );
  });

  it('of the strategic type converts whole floats and overflowing integers like Go', () => {
    expect(apply('strategic', '{"spec":{"seconds":20.0}}').object).toMatchObject({ spec: { seconds: 20 } });
    expect(apply('strategic', { spec: { seconds: 3_000_000_000 } }).object).toMatchObject({ spec: { seconds: -1_294_967_296 } });
  });

  it('may change kind and apiVersion only to other names of the same type', () => {
    expect(apply('merge', { apiVersion: 'things.k8s.io/v2' }).object).toEqual(live);
    expect(apply('merge', { kind: null }).object).toEqual(live);
    expect(apply('strategic', { kind: 'Pod', apiVersion: 'v1' }).object).toEqual(live);
    expect(problem('merge', { kind: 'Pod' })).toContain(
      'no kind "Pod" is registered for version "things.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"',
    );
    expect(problem('merge', { kind: 'Other' })).toContain('converting (v1.Other) to (things.Thing): unknown conversion');
  });

  it('that removes apiVersion makes all fields unknown', () => {
    const { object, warnings } = apply('merge', { apiVersion: null });
    expect(object.metadata).toEqual({});
    expect(warnings).toEqual(['unknown field "metadata"', 'unknown field "spec"']);
  });

  it('of the strategic type must be an object', () => {
    expect(problem('strategic', '[]')).toBe('400 json: cannot unmarshal array into Go value of type map[string]interface {}');
  });
});
