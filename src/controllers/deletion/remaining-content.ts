import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import { storageResource } from '../../registry/resource/resource-definition.js';
import type { ResourceStore } from '../../registry/resource/resource-store.js';
import type { ObjectStore } from '../../storage/object-store.js';

/** What is left in a namespace: number of objects, by resource and by finalizer. */
export interface RemainingContent {
  readonly objects: number;
  readonly byResource: ReadonlyMap<string, number>;
  readonly byFinalizer: ReadonlyMap<string, number>;
}

/** Counts the content of a namespace with consistent lists. */
export async function remainingContent(
  objects: ObjectStore,
  content: readonly ResourceStore[],
  namespace: string,
): Promise<RemainingContent> {
  const byResource = new Map<string, number>();
  const byFinalizer = new Map<string, number>();
  let total = 0;
  for (const { definition } of content) {
    const resource = storageResource(definition);
    const list = await objects.list({ resource, namespace }, { consistency: { kind: 'latest' } });
    if (list.objects.length === 0) continue;
    total += list.objects.length;
    byResource.set(resource, list.objects.length);
    for (const object of list.objects) {
      const { metadata } = JSON.parse(object.data) as KubeObject;
      for (const finalizer of metadata.finalizers ?? []) byFinalizer.set(finalizer, (byFinalizer.get(finalizer) ?? 0) + 1);
    }
  }
  return { objects: total, byResource, byFinalizer };
}
