import { nastyText } from './nasty-values.js';
import type { Random } from './random.js';

/** A document in protobuf's envelope: a Lease or a similar object with valid fields, invalid fields and wrong wire types. */
export function protobufBody(random: Random): Buffer {
  const [apiVersion, kind] = random.pick([
    ['coordination.k8s.io/v1', 'Lease'],
    ['coordination.k8s.io/v1', 'Lease'],
    ['coordination.k8s.io/v1beta1', 'LeaseCandidate'],
    ['v1', 'Namespace'],
    ['v1', 'DeleteOptions'],
    ['coordination.k8s.io/v1', 'LeaseList'],
    ['', ''],
  ] as const);
  const raw = random.chance(0.1) ? random.bytes(random.size(200)) : concat([field(1, metadata(random)), field(2, spec(random))]);
  const typeMeta = concat([field(1, apiVersion), field(2, kind)]);
  const tail = random.chance(0.1) ? anything(random, 0) : Buffer.alloc(0);
  return concat([Buffer.from('k8s\0'), field(1, typeMeta), field(2, raw), tail]);
}

function metadata(random: Random): Buffer {
  const parts = [field(1, random.chance(0.8) ? random.pick(['one', 'two', 'p1', 'p2']) : nastyText(random))];
  if (random.chance(0.3)) parts.push(field(11, concat([field(1, nastyText(random)), field(2, nastyText(random))])));
  if (random.chance(0.2)) parts.push(field(17, concat([field(2, 'Update'), field(7, field(1, '{"f:spec":{"f:__proto__":{}}}'))])));
  while (random.chance(0.4)) parts.push(anything(random, 0));
  return concat(parts);
}

function spec(random: Random): Buffer {
  const parts: Buffer[] = [];
  if (random.chance(0.7)) parts.push(field(1, random.chance(0.7) ? 'holder' : nastyText(random)));
  if (random.chance(0.7)) parts.push(concat([varint(0x10), varint(random.chance(0.7) ? 15 : random.next())]));
  if (random.chance(0.4)) parts.push(field(3, concat([varint(0x08), varint(random.next()), varint(0x10), varint(random.next())])));
  while (random.chance(0.4)) parts.push(anything(random, 0));
  return concat(parts);
}

/** A field of any number and wire type, including groups and reserved types; its length may be wrong. */
function anything(random: Random, depth: number): Buffer {
  const wire = random.below(8);
  const tag = varint(((random.chance(0.8) ? random.below(20) : random.below(0x1fff_ffff)) << 3) | wire);
  switch (wire) {
    case 0:
      return concat([tag, random.chance(0.5) ? varint(random.next()) : Buffer.alloc(random.below(14), 0xff)]);
    case 1:
      return concat([tag, random.bytes(8)]);
    case 2: {
      const content = depth < 6 && random.chance(0.6) ? anything(random, depth + 1) : Buffer.from(nastyText(random).slice(0, 2000));
      return concat([tag, varint(random.chance(0.9) ? content.length : random.next()), content]);
    }
    default:
      return concat([tag, random.bytes(random.below(6))]);
  }
}

function field(number: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content as string);
  return concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value >>> 0;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}

const concat = (parts: readonly Buffer[]): Buffer => Buffer.concat(parts);
