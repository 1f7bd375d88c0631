import type { KubeObject } from '../../../../apimachinery/meta/kube-object.js';
import type { ObjectMeta } from '../../../../apimachinery/meta/object-meta.js';
import type { LeaseCandidate, LeaseCandidateSpec } from '../lease-candidate.js';
import { equalLists, listOf, PREFERRED_STRATEGIES, preferredStrategies, readList } from '../preferred-strategies.js';

/** LeaseCandidate in the shape of v1alpha1. */
export interface LeaseCandidateV1alpha1 extends KubeObject {
  spec?: Omit<LeaseCandidateSpec, 'strategy'> & { preferredStrategies?: readonly string[] | null };
}

/** v1alpha1 to hub: the first strategy is the hub's; a list that says more is kept in an annotation. */
export function candidateFromV1alpha1(object: LeaseCandidateV1alpha1): LeaseCandidate {
  const { preferredStrategies: sent, ...common } = object.spec ?? {};
  const list = sent ?? [];
  const [strategy = ''] = list;
  const kept = object.metadata.annotations?.[PREFERRED_STRATEGIES];
  const spec = strategy === '' ? common : { ...common, strategy };
  if (!equalLists(list, listOf(strategy))) {
    return { ...object, metadata: withAnnotation(object.metadata, JSON.stringify(list)), spec };
  }
  // Whoever sends what would be read as another list than the one beside it means the one beside it.
  const misleads = readList(kept, strategy) !== undefined;
  return { ...object, ...(misleads ? { metadata: withAnnotation(object.metadata, undefined) } : {}), spec };
}

/** Hub to v1alpha1: the annotation that counts becomes the list again and is not shown. */
export function candidateToV1alpha1(hub: LeaseCandidate): LeaseCandidateV1alpha1 {
  const { strategy = '', ...common } = hub.spec ?? {};
  const list = preferredStrategies(hub);
  const spec = list.length === 0 ? common : { ...common, preferredStrategies: list };
  const counts = !equalLists(list, listOf(strategy));
  return { ...hub, ...(counts ? { metadata: withAnnotation(hub.metadata, undefined) } : {}), spec };
}

function withAnnotation(metadata: ObjectMeta, value: string | undefined): ObjectMeta {
  const { [PREFERRED_STRATEGIES]: _, ...others } = metadata.annotations ?? {};
  const annotations = value === undefined ? others : { ...others, [PREFERRED_STRATEGIES]: value };
  const { annotations: _replaced, ...rest } = metadata;
  return Object.keys(annotations).length === 0 ? rest : { ...rest, annotations };
}
