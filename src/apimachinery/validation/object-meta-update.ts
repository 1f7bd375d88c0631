import { type FieldError, invalid, TypedString } from '../errors/field-error.js';
import { ZERO_TIME } from '../go/go-time.js';
import type { ObjectMeta } from '../meta/object-meta.schema.js';
import { checkNoNewFinalizers } from './finalizers.js';
import { checkAnnotations, checkLabels } from './labels-and-annotations.js';
import { checkManagedFields } from './managed-fields.js';
import { checkOwnerReferences } from './owner-references.js';

const IMMUTABLE = 'field is immutable';

/**
 * The errors of changes to metadata that an update must not make, in upstream's order (apimachinery pkg/api/validation
 * ValidateObjectMetaUpdate).
 */
export function validateObjectMetaUpdate(next: ObjectMeta, old: ObjectMeta, path = 'metadata'): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined) {
    checkNoNewFinalizers(next.finalizers ?? [], old.finalizers ?? [], `${path}.finalizers`, errors);
  }
  if (!next.resourceVersion) errors.push(invalid(`${path}.resourceVersion`, '', 'must be specified for an update'));
  if ((next.generation ?? 0) < (old.generation ?? 0)) {
    errors.push(invalid(`${path}.generation`, next.generation ?? 0, 'must not be decremented'));
  }
  checkImmutable(next, old, path, errors);
  if (next.labels) checkLabels(next.labels, `${path}.labels`, errors);
  if (next.annotations) checkAnnotations(next.annotations, `${path}.annotations`, errors);
  if (next.ownerReferences) checkOwnerReferences(next.ownerReferences, `${path}.ownerReferences`, errors);
  if (next.managedFields) checkManagedFields(next.managedFields, `${path}.managedFields`, errors);
  return errors;
}

function checkImmutable(next: ObjectMeta, old: ObjectMeta, path: string, errors: FieldError[]): void {
  for (const field of ['name', 'namespace', 'uid'] as const) {
    const value = next[field] ?? '';
    if (value === (old[field] ?? '')) continue;
    errors.push(invalid(`${path}.${field}`, field === 'uid' ? new TypedString(value) : value, IMMUTABLE));
  }
  for (const field of ['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    // An error shows Go's zero time as it would be written.
    const shown = next[field] === ZERO_TIME ? null : next[field];
    if (next[field] !== old[field]) errors.push(invalid(`${path}.${field}`, shown, IMMUTABLE));
  }
}
