import type { ObjectMeta, OwnerReference } from '../../apimachinery/meta/object-meta.schema.js';
import type { RequestContext } from '../resource/request-context.js';

/** Upstream deduplicates before and after mutating admission, with different texts; patches only after it. */
export type DedupeMoment = 'beforeAdmission' | 'afterAdmission';

const ADVICE = 'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests';
const FOUND: Record<DedupeMoment, string> = {
  beforeAdmission: '.metadata.ownerReferences contains duplicate entries',
  afterAdmission: '.metadata.ownerReferences contains duplicate entries after mutating admission happens',
};

/** Drops duplicate owner references (equal in every field) and warns (apiserver pkg/endpoints/handlers/rest.go). */
export function dedupeOwnerReferences(metadata: ObjectMeta, context: RequestContext, moment: DedupeMoment): void {
  const references = metadata.ownerReferences;
  if (!references || references.length < 2) return;
  const kept: OwnerReference[] = [];
  const duplicates: string[] = [];
  for (const reference of references) {
    if (kept.some((other) => equalReferences(other, reference))) duplicates.push(reference.uid);
    else kept.push(reference);
  }
  if (duplicates.length === 0) return;
  context.warn(`${FOUND[moment]}; ${ADVICE}; duplicate UID(s) observed: ${duplicates.join(', ')}`);
  metadata.ownerReferences = kept;
}

function equalReferences(a: OwnerReference, b: OwnerReference): boolean {
  return (
    a.uid === b.uid &&
    a.apiVersion === b.apiVersion &&
    a.kind === b.kind &&
    a.name === b.name &&
    a.controller === b.controller &&
    a.blockOwnerDeletion === b.blockOwnerDeletion
  );
}
