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

function cborParts(value: Value): Buffer[] {
  if (value === null) return [Buffer.from([0xf6])];
  if (typeof value === 'boolean') return [Buffer.from([value ? 0xf5 : 0xf4])];
  if (typeof value === 'number') return [head(0, value)];
  if (typeof value === 'string') return [head(3, Buffer.byteLength(value)), Buffer.from(value)];
  if (Array.isArray(value)) return [head(4, value.length), ...(value as readonly Value[]).flatMap(cborParts)];
  const entries = Object.entries(value);
  return [head(5, entries.length), ...entries.flatMap(([key, member]) => [...cborParts(key), ...cborParts(member)])];
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
