import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { DeleteOptions } from '../../apimachinery/options/delete-options.js';
import { timestamp } from '../objects/object-values.js';

export const ORPHAN_FINALIZER = 'orphan';
export const FOREGROUND_FINALIZER = 'foregroundDeletion';

/**
 * Returns the finalizers of an object after a deletion with these options. The options decide about the garbage collector's finalizers;
 * without options, those present stay. They come last; an unchanged set keeps its order (apiserver registry/generic/registry/store.go
 * deletionFinalizersForGarbageCollection).
 */
export function deletionFinalizers(finalizers: readonly string[], options: DeleteOptions): readonly string[] {
  const next = [...withoutCollector(finalizers)];
  if (orphans(finalizers, options)) next.push(ORPHAN_FINALIZER);
  if (deletesInForeground(finalizers, options)) next.push(FOREGROUND_FINALIZER);
  return sameSet(finalizers, next) ? finalizers : next;
}

/** Removes the finalizers of the garbage collector. */
export function withoutCollector(finalizers: readonly string[]): readonly string[] {
  return finalizers.filter((name) => name !== ORPHAN_FINALIZER && name !== FOREGROUND_FINALIZER);
}

function orphans(finalizers: readonly string[], { orphanDependents, propagationPolicy }: DeleteOptions): boolean {
  if (orphanDependents !== undefined) return orphanDependents;
  if (propagationPolicy !== undefined) return propagationPolicy === 'Orphan';
  return firstCollectorFinalizer(finalizers) === ORPHAN_FINALIZER;
}

function deletesInForeground(finalizers: readonly string[], { orphanDependents, propagationPolicy }: DeleteOptions): boolean {
  if (orphanDependents !== undefined) return false;
  if (propagationPolicy !== undefined) return propagationPolicy === 'Foreground';
  return firstCollectorFinalizer(finalizers) === FOREGROUND_FINALIZER;
}

function firstCollectorFinalizer(finalizers: readonly string[]): string | undefined {
  return finalizers.find((name) => name === ORPHAN_FINALIZER || name === FOREGROUND_FINALIZER);
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  const set = new Set(a);
  return set.size === new Set(b).size && b.every((name) => set.has(name));
}

/** Returns the object with its deletion marked, for an object that finalizers hold (store.go markAsDeleting). */
export function markDeleted<T extends KubeObject>(live: T, finalizers: readonly string[], now: number): T {
  const metadata = { ...live.metadata, finalizers: [...finalizers], deletionGracePeriodSeconds: 0 };
  if (finalizers.length === 0) delete (metadata as { finalizers?: string[] }).finalizers;
  if (live.metadata.deletionTimestamp === undefined && (live.metadata.generation ?? 0) > 0) {
    metadata.generation = (live.metadata.generation ?? 0) + 1;
  }
  const moment = timestamp(now);
  if (live.metadata.deletionTimestamp === undefined || live.metadata.deletionTimestamp > moment) metadata.deletionTimestamp = moment;
  return { ...live, metadata };
}

/** Whether only finalizers keep the object alive, so that it is removed with the last of them (store.go ShouldDeleteDuringUpdate). */
export function awaitsFinalizers({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.deletionGracePeriodSeconds ?? 0) === 0;
}
