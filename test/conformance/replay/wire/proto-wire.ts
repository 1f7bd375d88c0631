/** A field on the wire: a number for varints, bytes for all other types. */
export type WireField = readonly [number: number, value: number | Buffer];

const FIXED_SIZES: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

/** The fields of a message in wire order. */
export function readWire(bytes: Buffer): WireField[] {
  const fields: WireField[] = [];
  let at = 0;
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error('truncated');
    return bytes.subarray(at, (at += length));
  };
  const varint = (): number => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = take(1).readUInt8();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const wireType = tag & 7;
    const size = FIXED_SIZES[wireType];
    if (wireType === 0) fields.push([tag >> 3, varint()]);
    else if (wireType === 2) fields.push([tag >> 3, take(varint())]);
    else if (size !== undefined) fields.push([tag >> 3, take(size)]);
    else throw new Error(`wire type ${wireType}`);
  }
  return fields;
}

export function writeVarint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

export function writeField(number: number, value: number | Buffer): Buffer {
  const tag = writeVarint(number * 8 + (typeof value === 'number' ? 0 : 2));
  return typeof value === 'number' ? Buffer.concat([tag, writeVarint(value)]) : Buffer.concat([tag, writeVarint(value.length), value]);
}
