import { decode, decodeFirst, encode } from 'cborg';

const SELF_DESCRIBED = 55799;
const SELF_DESCRIBED_PREFIX = Buffer.from([0xd9, 0xd9, 0xf7]);

const OPTIONS = { useMaps: true, tags: { [SELF_DESCRIBED]: (inner: () => unknown) => inner() } };

/** One CBOR item as plain JSON. An object is marked with `wire`, which says whether it has the self-described CBOR tag. */
export function readCbor(bytes: Buffer): unknown {
  const value = plain(decode(bytes, OPTIONS));
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  const described = bytes.subarray(0, SELF_DESCRIBED_PREFIX.length).equals(SELF_DESCRIBED_PREFIX);
  return { wire: described ? 'cbor, self-described' : 'cbor', ...value };
}

/** The first item of a sequence and the bytes after it; undefined while the item is incomplete. */
export function readFirstCbor(bytes: Buffer): { item: unknown; rest: Buffer } | undefined {
  try {
    const [item, rest] = decodeFirst(bytes, OPTIONS) as [unknown, Uint8Array];
    return { item: plain(item), rest: Buffer.from(rest) };
  } catch {
    return undefined;
  }
}

/** A body with the self-described CBOR tag, as clients send it. */
export const writeCbor = (value: unknown): Buffer => Buffer.concat([SELF_DESCRIBED_PREFIX, encode(value)]);

/** Kubernetes also writes map keys and texts as byte strings. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [String(plain(key)), plain(item)]));
  return value;
}
