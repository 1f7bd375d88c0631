/** JSON values, of which objects may have duplicate keys as pairs. */
export type Value = null | boolean | number | string | readonly Value[] | { readonly [key: string]: Value };

export const ENCODINGS = {
  json: { contentType: 'application/json', encode: (value: Value) => Buffer.from(JSON.stringify(value)) },
  // The comment makes it YAML that is not JSON.
  yaml: { contentType: 'application/yaml', encode: (value: Value) => Buffer.from(`${JSON.stringify(value)} # yaml`) },
  cbor: {
    contentType: 'application/cbor',
    encode: (value: Value) => Buffer.concat([Buffer.from([0xd9, 0xd9, 0xf7]), ...cborParts(value)]),
  },
} as const;

export type Encoding = keyof typeof ENCODINGS;

function cborParts(value: Value, parts: Buffer[] = []): Buffer[] {
  if (value === null) parts.push(Buffer.from([0xf6]));
  else if (typeof value === 'boolean') parts.push(Buffer.from([value ? 0xf5 : 0xf4]));
  else if (typeof value === 'number') parts.push(value < 2 ** 32 ? head(0, value) : float(value));
  else if (typeof value === 'string') parts.push(head(3, Buffer.byteLength(value)), Buffer.from(value));
  else if (Array.isArray(value)) {
    parts.push(head(4, value.length));
    for (const item of value as readonly Value[]) cborParts(item, parts);
  } else {
    const entries = Object.entries(value);
    parts.push(head(5, entries.length));
    for (const [key, member] of entries) cborParts(member, cborParts(key, parts));
  }
  return parts;
}

function float(value: number): Buffer {
  const bytes = Buffer.from([0xfb, 0, 0, 0, 0, 0, 0, 0, 0]);
  bytes.writeDoubleBE(value, 1);
  return bytes;
}

function head(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.from([(major << 5) | argument]);
  const bytes = Buffer.alloc(5);
  bytes[0] = (major << 5) | 26;
  bytes.writeUInt32BE(argument, 1);
  return bytes;
}

/** A message with one field of this number, repeated. */
export function repeatedField(number: number, content: (at: number) => Buffer | string, count: number): Buffer {
  return Buffer.concat(Array.from({ length: count }, (_, at) => field(number, content(at))));
}

export function field(number: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content as string);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}

/** A protobuf document in upstream's envelope. */
export function protobufDocument(apiVersion: string, kind: string, message: Buffer): Buffer {
  return Buffer.concat([Buffer.from('k8s\0'), field(1, Buffer.concat([field(1, apiVersion), field(2, kind)])), field(2, message)]);
}
