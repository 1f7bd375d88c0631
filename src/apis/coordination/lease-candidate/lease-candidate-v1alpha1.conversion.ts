import type { ObjectMeta } from '../../../apimachinery/meta/object-meta.schema.js';
import type { TypeOf } from '../../../apimachinery/schema/struct-type.js';
import type { LeaseCandidate, leaseCandidateV1alpha1Schema } from './lease-candidate.schema.js';

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

/**
 * The annotation of the hub that keeps a v1alpha1 list of strategies which `spec.strategy` cannot express, as a JSON list
 * (docs/decisions/0012-lease-candidate-versions.md).
 */
export const PREFERRED_STRATEGIES = 'coordination-apiserver/preferred-strategies';

/** A candidate's preferred strategies, the most preferred one first: the list that v1alpha1 shows. */
export function preferredStrategies({ metadata, spec }: LeaseCandidate): readonly string[] {
  const strategy = spec?.strategy ?? '';
  return readList(metadata.annotations?.[PREFERRED_STRATEGIES], strategy) ?? listOf(strategy);
}

/** The list that a single strategy stands for. */
function listOf(strategy: string): readonly string[] {
  return strategy === '' ? [] : [strategy];
}

/**
 * The list in an annotation, if it applies to this strategy: it begins with the strategy, contains more, and is written as this server
 * writes it. Any other annotation is an ordinary one.
 */
function readList(annotation: string | undefined, strategy: string): readonly string[] | undefined {
  if (annotation === undefined || !annotation.startsWith('["')) return undefined;
  let list: unknown;
  try {
    list = JSON.parse(annotation);
  } catch {
    return undefined;
  }
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'string')) return undefined;
  const expressive = list[0] === strategy && !equalLists(list, listOf(strategy));
  return expressive && JSON.stringify(list) === annotation ? list : undefined;
}

function equalLists(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, at) => item === b[at]);
}
