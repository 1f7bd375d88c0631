import fc from 'fast-check';
import { leaseV1Schema } from '../../../apis/coordination/lease/lease.schema.js';
import { ApiError } from '../../errors/api-error.js';
import { type FieldValidation, kindRegistry } from '../serializer/serializer.js';
import { leaseArbitrary } from '../testing/lease-arbitrary.js';
import { CborSerializer } from './cbor-serializer.js';

const cbor = new CborSerializer();
const expected = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  schema: leaseV1Schema,
  kinds: kindRegistry({ 'coordination.k8s.io/v1': ['Lease'] }),
};
const decode = (body: Buffer, validation: FieldValidation = 'Warn') => cbor.decodeObject(body, expected, validation);

function refusal(body: Buffer, validation: FieldValidation = 'Warn'): string {
  try {
    decode(body, validation);
  } catch (error) {
    if (error instanceof ApiError && error.code === 400) return error.message;
    throw error;
  }
  throw new Error('the body was accepted');
}

const base64 = (text: string) => Buffer.from(text, 'base64');
const head = '2dn3pGphcGlWZXJzaW9udmNvb3JkaW5hdGlvbi5rOHMuaW8vdjFka2luZGVMZWFzZWhtZXRhZGF0YaFkbmFtZWJj';
const cannot = 'Lease in version "v1" cannot be handled as a Lease: ';
const unrecognized = 'the object provided is unrecognized (must be of type Lease): unable to determine group/version/kind: ';

describe('CBOR', () => {
  it('writes a self-described document with strings as byte strings', () => {
    const bytes = cbor.encodeObject(leaseV1Schema, { kind: 'Lease', metadata: { name: 'é' }, spec: { leaseDurationSeconds: -1 } });
    expect(bytes.toString('hex')).toBe(
      'd9d9f7' +
        'a3' +
        '446b696e64454c65617365' +
        '4473706563a1546c656173654475726174696f6e5365636f6e647320' +
        '486d65746164617461a1446e616d6542c3a9',
    );
  });

  it('reads back any object that it wrote', () => {
    fc.assert(
      fc.property(leaseArbitrary, (object) => {
        const decoded = decode(cbor.encodeObject(leaseV1Schema, object), 'Strict');
        expect(decoded).toEqual({ object, warnings: [] });
      }),
    );
  });

  it('takes text and byte strings, indefinite lengths and tags', () => {
    const body = Buffer.from('bf686d65746164617461bf446e616d65d901007f61616162ffffff', 'hex');
    expect(decode(body).object).toMatchObject({ metadata: { name: 'ab' } });
  });

  it('reports the first unknown field by its place', () => {
    const body = base64(`${head}NWRzcGVjom5ob2xkZXJJZGVudGl0eWF4Z3Vua25vd24B`);
    expect(decode(body).warnings).toEqual(['cbor: found unknown field at map element index 1']);
    expect(refusal(body, 'Strict')).toBe(`${cannot}strict decoding error: cbor: found unknown field at map element index 1`);
  });

  it.each([
    [
      `${head}M2RzcGVjoW5ob2xkZXJJZGVudGl0eQU=`,
      'cbor: cannot unmarshal positive integer into Go struct field v1.Lease.spec of type string',
    ],
    [
      `${head}NGRzcGVjom5ob2xkZXJJZGVudGl0eWF4dGxlYXNlRHVyYXRpb25TZWNvbmRz+z/4AAAAAAAA`,
      'cbor: cannot unmarshal primitives into Go struct field v1.Lease.spec of type int32',
    ],
  ])('refuses %s', (body, text) => {
    expect(refusal(base64(body))).toBe(cannot + text);
  });

  it('refuses unassigned simple values only when they are decoded, after the kind is known', () => {
    const text = 'cbor: data item of cbor type primitives is not accepted by protocol: simple value 23 is not recognized';
    expect(refusal(Buffer.from('a16473706563f7', 'hex'))).toBe(cannot + text);
    expect(refusal(Buffer.from('a16178f817', 'hex'))).toContain(`${unrecognized}cbor: invalid simple value 23 for type primitives`);
  });

  it('refuses text that is not UTF-8, except in skipped values', () => {
    const holder = (text: string) => Buffer.from(`a16473706563a16e686f6c6465724964656e74697479${text}`, 'hex');
    expect(refusal(holder('61ff'))).toBe(`${cannot}cbor: invalid UTF-8 string`);
    expect(refusal(holder('7f616161ffff'))).toBe(`${cannot}cbor: invalid UTF-8 string`);
    expect(refusal(Buffer.from('a1646b696e6461ff', 'hex'))).toContain(`${unrecognized}cbor: invalid UTF-8 string`);
    expect(decode(Buffer.from('a1617861ff', 'hex')).warnings).toEqual(['cbor: found unknown field at map element index 0']);
  });

  it.each([
    ['', 'EOF (<empty>)'],
    ['7b7d', 'unexpected EOF ({})'],
    ['a000', 'cbor: 1 bytes of extraneous data starting at index 1 (a000)'],
    [
      'd9d9f78101',
      'cbor: cannot unmarshal array into Go value of type v1.TypeMeta (cannot decode CBOR array to struct without toarray option) (d9d9f78101)',
    ],
    ['a2617801617802', 'cbor: found duplicate map key "x" at map element index 1 (a2617801617802)'],
    ['a16178f97e00', 'cbor: data item of cbor type primitives is not accepted by protocol: floating-point NaN (a16178f97e00)'],
  ])('does not recognize %s', (body, text) => {
    expect(refusal(Buffer.from(body, 'hex'))).toBe(unrecognized + text);
  });

  it('refuses deep nesting without exhausting the stack', () => {
    expect(refusal(Buffer.concat([Buffer.from('a16178', 'hex'), Buffer.alloc(1_000_000, 0x81)]))).toContain(
      'cbor: exceeded max nested level',
    );
  });

  it('reads DeleteOptions', () => {
    expect(cbor.decodeDeleteOptions(base64('2dn3oWZkcnlSdW6BY0FsbA=='))).toEqual({ dryRun: ['All'] });
  });

  it('writes list items without the self-described tag, and documents in events with it', () => {
    const item = cbor.encodeItem(leaseV1Schema, {});
    const list = cbor
      .encodeList({ kind: 'L', apiVersion: 'v', metadata: {} }, [cbor.joinItems([item]), cbor.joinItems([item, item])])
      .bytes();
    expect(list.toString('hex')).toBe(
      `d9d9f7a4446b696e64414c4a61706956657273696f6e4176486d65746164617461a0456974656d739a00000003${item.toString('hex').repeat(3)}`,
    );
    const event = cbor.encodeWatchEvent('ADDED', cbor.encodeEventObject(leaseV1Schema, {}));
    expect(event.toString('hex')).toBe(`d9d9f7a2447479706545414444454446${'6f626a656374'}d9d9f7${item.toString('hex')}`);
  });
});
