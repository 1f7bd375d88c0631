import { equalValues } from '../../apimachinery/managedfields/fieldpath/path-element.js';
import type { KubeObject, ManagedFieldsEntry } from '../../apimachinery/meta/object-meta.schema.js';
import type { ObjectValue, StoredObject } from '../../storage/object-store.js';
import type { StoredCodec } from './stored-codec.js';

/**
 * Returns what an update would store, or undefined if nothing would change; the update is then not written. A write that would change only
 * timestamps in managedFields counts as no change (apimachinery pkg/util/managedfields, IgnoreManagedFieldsTimestampsTransformer).
 */
export function changedValue<T extends KubeObject>(
  codec: StoredCodec<T>,
  next: T,
  live: T,
  current: StoredObject,
): ObjectValue | undefined {
  const value = codec.encode(next);
  if (value.data === current.data) return undefined;
  const stored = live.metadata.managedFields;
  if (!stored || !contentMayBeEqual(next, live)) return value;
  if (!equalButForTimes(next.metadata.managedFields, stored)) return value;
  const untouched = codec.encode({ ...next, metadata: { ...next.metadata, managedFields: stored } });
  return untouched.data === current.data ? undefined : value;
}

/** Cheap test for the hot path: a renewal changes the spec, which shows without comparing metadata. */
function contentMayBeEqual(next: KubeObject, live: KubeObject): boolean {
  const left = next as unknown as Record<string, unknown>;
  const right = live as unknown as Record<string, unknown>;
  for (const key in left) if (!TYPE_AND_METADATA.has(key) && !mayBeEqual(left[key], right[key])) return false;
  for (const key in right) if (!Object.hasOwn(left, key) && !isEmpty(right[key])) return false;
  return true;
}

const TYPE_AND_METADATA: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata']);

function equalButForTimes(next: readonly ManagedFieldsEntry[] | undefined, stored: readonly ManagedFieldsEntry[]): boolean {
  if (next?.length !== stored.length) return false;
  return equalValues(next.map(withoutTime), stored.map(withoutTime));
}

function withoutTime({ time: _, ...entry }: ManagedFieldsEntry): ManagedFieldsEntry {
  return entry;
}

/** False only if the encodings certainly differ; the encoder may omit empty values. */
function mayBeEqual(a: unknown, b: unknown): boolean {
  if (a === b || (isEmpty(a) && isEmpty(b))) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  for (const key in left) if (!mayBeEqual(left[key], right[key])) return false;
  for (const key in right) if (!Object.hasOwn(left, key) && !isEmpty(right[key])) return false;
  return true;
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === undefined || value === null || !value;
  return Object.values(value).every(isEmpty);
}
