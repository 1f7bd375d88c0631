/** Minimal protobuf encoding: each function returns the bytes of one field, or none if there is no value. */
const NOTHING = Buffer.alloc(0);

export type Bytes = Buffer;

function varint(value: number): Bytes {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}

/** A message or string field; a message may be empty. */
export function bytes(number: number, value: Bytes): Bytes {
  return Buffer.concat([varint(number * 8 + 2), varint(value.length), value]);
}

export function text(number: number, value: unknown): Bytes {
  return typeof value === 'string' && value !== '' ? bytes(number, Buffer.from(value)) : NOTHING;
}

export function flag(number: number, value: unknown): Bytes {
  return value === true ? Buffer.concat([varint(number * 8), Buffer.from([1])]) : NOTHING;
}

export function texts(number: number, values: unknown): Bytes {
  return Array.isArray(values) ? Buffer.concat(values.map((value) => text(number, value))) : NOTHING;
}

/** A message field composed of parts; omitted if the value is absent. */
export function message<T>(number: number, value: T | undefined, encode: (value: T) => Bytes): Bytes {
  return value === undefined ? NOTHING : bytes(number, encode(value));
}

export function messages<T>(number: number, values: readonly T[] | undefined, encode: (value: T) => Bytes): Bytes {
  return values === undefined ? NOTHING : Buffer.concat(values.map((value) => bytes(number, encode(value))));
}

/** A map as gnostic writes it: repeated {name = 1, value = 2}. */
export function named<T>(number: number, values: Readonly<Record<string, T>> | undefined, encode: (value: T) => Bytes): Bytes {
  return messages(number, Object.entries(values ?? {}), ([name, value]) => Buffer.concat([text(1, name), bytes(2, encode(value))]));
}

/** gnostic's Any: YAML text, of which JSON is a subset. */
export function any(value: unknown): Bytes {
  return text(2, `${JSON.stringify(value)}\n`);
}

/** The `x-` members of an object. */
export function extensions(number: number, value: Readonly<Record<string, unknown>>): Bytes {
  return named(number, Object.fromEntries(Object.entries(value).filter(([name]) => name.startsWith('x-'))), any);
}
