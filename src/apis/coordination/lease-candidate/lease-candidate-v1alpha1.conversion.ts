import type { ObjectMeta } from '../../../apimachinery/meta/object-meta.schema.js';
import type { TypeOf } from '../../../apimachinery/schema/struct-type.js';
import type { LeaseCandidate, leaseCandidateV1alpha1Schema } from './lease-candidate.schema.js';
import { equalLists, listOf, PREFERRED_STRATEGIES, preferredStrategies, readList } from './preferred-strategies.js';

/** LeaseCandidate in the shape of v1alpha1. */
export type LeaseCandidateV1alpha1 = TypeOf<typeof leaseCandidateV1alpha1Schema>;

/** v1alpha1 to hub: the first strategy becomes the hub's; a list that contains more is kept in an annotation. */
export function candidateFromV1alpha1(object: LeaseCandidateV1alpha1): LeaseCandidate {
  const { preferredStrategies: sent, binaryVersion = '', ...others } = object.spec;
  const common = { ...others, binaryVersion };
  const list = sent ?? [];
  const [strategy = ''] = list;
  const kept = object.metadata.annotations?.[PREFERRED_STRATEGIES];
  const spec = strategy === '' ? common : { ...common, strategy };
  if (!equalLists(list, listOf(strategy))) {
    return { ...object, metadata: withAnnotation(object.metadata, JSON.stringify(list)), spec };
  }
  // If the client's annotation would be read as another list than the one it sends, the list it sends wins.
  const misleads = readList(kept, strategy) !== undefined;
  return { ...object, ...(misleads ? { metadata: withAnnotation(object.metadata, undefined) } : {}), spec };
}

/** Hub to v1alpha1: an annotation that applies becomes the list again and is hidden. */
export function candidateToV1alpha1(hub: LeaseCandidate): LeaseCandidateV1alpha1 {
  const { strategy = '', binaryVersion, ...others } = hub.spec;
  const common = binaryVersion === '' ? others : { ...others, binaryVersion };
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
