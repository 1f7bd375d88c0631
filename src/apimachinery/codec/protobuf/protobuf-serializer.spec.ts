import fc from 'fast-check';
import { leaseV1Schema } from '../../../apis/coordination/lease/lease.schema.js';
import { ApiError } from '../../errors/api-error.js';
import { deleteOptionsSchema } from '../../meta/delete-options.schema.js';
import { field, list, string, struct } from '../../schema/struct-type.js';
import { kindRegistry } from '../serializer/serializer.js';
import { leaseArbitrary } from '../testing/lease-arbitrary.js';
import { decodeMessage } from './proto-decoder.js';
import { ProtobufSerializer } from './protobuf-serializer.js';

const protobuf = new ProtobufSerializer();
const expected = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  schema: leaseV1Schema,
  kinds: kindRegistry({ 'coordination.k8s.io/v1': ['Lease'], 'coordination.k8s.io/v1beta1': ['Lease'], v1: ['Namespace'] }),
};
const decode = (body: Buffer) => protobuf.decodeObject(body, expected, 'Strict').object;
const fromBase64 = (body: string) => Buffer.from(body, 'base64');

/** The object in a body, or the error. */
function outcome(body: Buffer): unknown {
  try {
    return decode(body);
  } catch (error) {
    if (error instanceof ApiError && error.code === 400) return error.message;
    throw error;
  }
}

const lease = {
  kind: 'Lease',
  apiVersion: 'coordination.k8s.io/v1',
  metadata: {
    name: 'a',
    generation: -1,
    creationTimestamp: '2026-01-02T03:04:05Z',
    labels: { b: '2', a: '1' },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u', controller: true }],
    finalizers: ['x/y'],
    managedFields: [{ manager: 'm', operation: 'Update', time: '2026-01-02T03:04:05Z', fieldsV1: { 'f:spec': {} } }],
  },
  spec: { holderIdentity: '', leaseDurationSeconds: 15, renewTime: '2026-01-02T03:04:05.000006Z' },
};

/** The same object as k8s.io/apimachinery 0.36 encodes it. */
const UPSTREAM =
  '6b3873000a1f0a16636f6f7264696e6174696f6e2e6b38732e696f2f763112054c65617365128d010a7a0a016112001a0022002a00320038ffffffffffffffffff01420808' +
  'a5ebdcca0610005a060a01611201315a060a01621201326a120a044e6f64651a016e2201752a02763130017203782f798a012c0a016d12065570646174651a00220808a5eb' +
  'dcca06100032003a0f0a0d7b22663a73706563223a7b7d7d4200120f0a00100f220908a5ebdcca0610f02e1a002200';

describe('protobuf', () => {
  it('writes the bytes that upstream writes', () => {
    expect(protobuf.encodeObject(leaseV1Schema, lease).toString('hex')).toBe(UPSTREAM);
  });

  it('reads them back', () => {
    expect(decode(Buffer.from(UPSTREAM, 'hex'))).toEqual(lease);
  });

  it('reads back any object that it wrote', () => {
    fc.assert(
      fc.property(leaseArbitrary, (object) => {
        expect(decode(protobuf.encodeObject(leaseV1Schema, object))).toEqual(object);
      }),
    );
  });

  it('enlarges its buffer for large objects, and then encodes small ones correctly', () => {
    const big = { ...lease, metadata: { ...lease.metadata, labels: { x: 'é'.repeat(700_000) } } };
    expect(decode(protobuf.encodeObject(leaseV1Schema, big))).toEqual(big);
    expect(protobuf.encodeObject(leaseV1Schema, lease).toString('hex')).toBe(UPSTREAM);
  });

  it('accepts fields in any order, skips unknown ones and uses the last of repeated ones', () => {
    expect(decode(fromBase64('azhzAAofChZjb29yZGluYXRpb24uazhzLmlvL3YxEgVMZWFzZRIRCgUKA3AxMBICEAf6PgNhYmM='))).toMatchObject({
      metadata: { name: 'p10' },
      spec: { leaseDurationSeconds: 7 },
    });
  });

  it('decodes any body in the same way with and without an unknown field', () => {
    const bytes = protobuf.encodeObject(leaseV1Schema, lease);
    const typeEnd = bytes.indexOf('Lease') + 'Lease'.length;
    const [type, message] = [bytes.subarray(0, typeEnd), bytes.subarray(typeEnd + 3, -4)];
    const unknown = Buffer.from('2801', 'hex');
    const tails = ['', '1a002200', '1a002201', '1a00', '1a', '12020a00', '0a00', 'ff'].map((hex) => Buffer.from(hex, 'hex'));
    fc.assert(
      fc.property(
        fc.nat(message.length - 1),
        fc.nat(255),
        fc.constantFrom(0, 0, 0, -1, 1),
        fc.constantFrom(...tails),
        (at, byte, longer, tail) => {
          const changed = Buffer.from(message);
          changed[at] = byte;
          const length = changed.length + longer;
          const rest = [Buffer.from([0x12, 0x80 | (length & 0x7f), length >> 7]), changed, tail];
          expect(outcome(Buffer.concat([type, ...rest]))).toEqual(outcome(Buffer.concat([type, unknown, ...rest])));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('fills in the kind that an envelope omits', () => {
    expect(decode(fromBase64('azhzAAoAEgYKBAoCcDU='))).toEqual({
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
      metadata: { name: 'p5' },
      spec: {},
    });
  });

  it.each([
    ['', 'the object provided is unrecognized (must be of type Lease): empty data (<empty>)'],
    ['azhzAA==', 'the object provided is unrecognized (must be of type Lease): empty body (6b387300)'],
    [
      'eyJtZXRhZGF0YSI6eyJuYW1lIjoicDkifX0=',
      'the object provided is unrecognized (must be of type Lease): provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] ({"metadata":{"name":"p9"}})',
    ],
    ['azhzAAofChZjb29yZGluYXRpb24uazhzLmlvL3YxEgVMZWFzZRICCgU=', 'Lease in version "v1" cannot be handled as a Lease: unexpected EOF'],
    [
      'azhzAAoPCgJ2MRIJTmFtZXNwYWNlEgYKBAoCcDY=',
      'Namespace in version "v1" cannot be handled as a Lease: converting (v1.Namespace) to (coordination.Lease): unknown conversion',
    ],
    [
      'azhzAAokChtjb29yZGluYXRpb24uazhzLmlvL3YxYmV0YTESBUxlYXNlEgYKBAoCcDc=',
      'the API version in the data (coordination.k8s.io/v1beta1) does not match the expected API version (coordination.k8s.io/v1)',
    ],
  ])('refuses %s', (body, text) => {
    expect(outcome(fromBase64(body))).toBe(text);
  });

  it('reports embedded metadata by its Go name', () => {
    expect(outcome(fromBase64('azhzAAofChZjb29yZGluYXRpb24uazhzLmlvL3YxEgVMZWFzZRICCAE='))).toBe(
      'Lease in version "v1" cannot be handled as a Lease: proto: wrong wireType = 0 for field ObjectMeta',
    );
  });

  it('reads DeleteOptions of any version', () => {
    expect(protobuf.decodeDeleteOptions(Buffer.from('azhzAAoTCgJ2MRINRGVsZXRlT3B0aW9ucxIFKgNBbGw=', 'base64'))).toMatchObject({
      dryRun: ['All'],
    });
  });

  it('writes a zero time, which stored objects show as null, as an empty message', () => {
    const zero = protobuf.encodeItem(leaseV1Schema, { spec: { renewTime: '0001-01-01T00:00:00.000000Z' } });
    expect(protobuf.encodeItem(leaseV1Schema, { spec: { renewTime: null, holderIdentity: null } })).toEqual(zero);
    expect(protobuf.encodeItem(leaseV1Schema, { spec: {} })).not.toEqual(zero);
  });

  it('writes lists as repeated messages, and watch frames after their length', () => {
    const head = { kind: 'LeaseList', apiVersion: 'coordination.k8s.io/v1', metadata: { resourceVersion: '7' } };
    const item = protobuf.encodeItem(leaseV1Schema, lease);
    const listed = protobuf.encodeList(head, [protobuf.joinItems([item, item]), protobuf.joinItems([item])]).bytes();
    const inOneRun = protobuf.encodeList(head, [protobuf.joinItems([item, item, item])]).bytes();
    expect(listed).toEqual(inOneRun);
    const raw = listed.subarray(listed.indexOf('LeaseList') + 'LeaseList'.length);
    const [before, ...rest] = raw.toString('latin1').split(item.toString('latin1'));
    // Each is preceded by the tag of field 2 and its length.
    const itemHead = before?.slice(-3);
    expect(itemHead?.charCodeAt(0)).toBe(0x12);
    expect(rest.slice(0, 2)).toEqual([itemHead, itemHead]);
    expect(rest).toHaveLength(3);
    const frame = protobuf.encodeWatchEvent('ADDED', protobuf.encodeEventObject(leaseV1Schema, lease));
    expect(frame.readUInt32BE()).toBe(frame.length - 4);
    expect(protobuf.encodeWatchEvent('ADDED', protobuf.encodeEventObject(leaseV1Schema, lease), false)).toEqual(frame.subarray(4));
    expect(frame.subarray(-UPSTREAM.length / 2).toString('hex')).toBe(UPSTREAM);
  });

  it('writes wrapped lists as separate messages', () => {
    const schema = struct('x.v1.Resource', '', [field('verbs', 4, list(string(), { protoWrapped: true }), 'always', '')]);
    const bytes = protobuf.encodeItem(schema, { verbs: ['get', 'list'] });
    expect(bytes.toString('hex')).toBe('220b0a036765740a046c697374');
    expect(decodeMessage(schema, bytes)).toEqual({ verbs: ['get', 'list'] });
  });

  it('distinguishes pointers to zero values from absent ones', () => {
    const options = { gracePeriodSeconds: 0, orphanDependents: false };
    expect(decodeMessage(deleteOptionsSchema, protobuf.encodeItem(deleteOptionsSchema, options))).toEqual(options);
  });
});
