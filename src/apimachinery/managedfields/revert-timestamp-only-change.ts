import type { KubeObject } from '../meta/kube-object.js';
import type { ManagedFieldsEntry } from '../meta/object-meta.js';
import { equalValues } from './compare-values.js';

/**
 * Puts the times of `live`'s managedFields back where nothing else differs, so that the write becomes a no-op and moves no
 * resourceVersion (apiserver pkg/endpoints/handlers/fieldmanager/equality.go). An entry more or less is a difference. Answers
 * `next` itself where there is nothing to put back.
 */
export function revertTimestampOnlyChange(live: KubeObject, next: KubeObject): KubeObject {
  const before = live.metadata.managedFields ?? [];
  const after = next.metadata.managedFields ?? [];
  if (after === before || after.length !== before.length || sameTimes(before, after)) return next;
  if (!before.every((entry, at) => equalButForTime(entry, after[at]))) return next;
  const reverted = { ...next, metadata: { ...next.metadata, managedFields: before } };
  return equalValues(live, reverted) ? reverted : next;
}

function sameTimes(before: readonly ManagedFieldsEntry[], after: readonly ManagedFieldsEntry[]): boolean {
  return before.every((entry, at) => entry.time === after[at]?.time);
}

function equalButForTime(a: ManagedFieldsEntry, b: ManagedFieldsEntry | undefined): boolean {
  return equalValues({ ...a, time: undefined }, { ...b, time: undefined });
}
