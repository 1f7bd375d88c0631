import type { LeaseCandidate } from './lease-candidate.schema.js';

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
export function listOf(strategy: string): readonly string[] {
  return strategy === '' ? [] : [strategy];
}

/**
 * The list in an annotation, if it applies to this strategy: it begins with the strategy, contains more, and is written as this server
 * writes it. Any other annotation is an ordinary one.
 */
export function readList(annotation: string | undefined, strategy: string): readonly string[] | undefined {
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

export function equalLists(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, at) => item === b[at]);
}
