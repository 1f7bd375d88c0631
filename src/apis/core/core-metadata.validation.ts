import type { FieldError } from '../../apimachinery/errors/field-error.js';
import { invalid } from '../../apimachinery/errors/field-error.js';
import type { ObjectMeta } from '../../apimachinery/meta/object-meta.js';
import type { ObjectMetaRules } from '../../apimachinery/validation/object-meta.js';
import { validateObjectMeta } from '../../apimachinery/validation/object-meta.js';

/** Finalizers without a prefix that the core group knows. */
const STANDARD_FINALIZERS: readonly string[] = ['kubernetes', 'orphan', 'foregroundDeletion'];

/**
 * The rules for metadata that the core group has for itself and lends to RBAC and events.k8s.io: beside those of all metadata, a
 * finalizer has a prefix or is a standard one (kubernetes pkg/apis/core/validation ValidateObjectMeta).
 */
export function validateCoreMetadata(metadata: ObjectMeta, rules: ObjectMetaRules): FieldError[] {
  return [...validateObjectMeta(metadata, rules), ...validateFinalizers(metadata)];
}

/** The same for an update; `changes` is what `validateObjectMetaUpdate` found (ValidateObjectMetaUpdate). */
export function validateCoreMetadataUpdate(metadata: ObjectMeta, changes: readonly FieldError[]): FieldError[] {
  return [...changes, ...validateFinalizers(metadata)];
}

export function validateStandardFinalizer(name: string, field: string): FieldError[] {
  if (name.includes('/') || STANDARD_FINALIZERS.includes(name)) return [];
  return [invalid(field, name, 'name is neither a standard finalizer name nor is it fully qualified')];
}

function validateFinalizers({ finalizers = [] }: ObjectMeta): FieldError[] {
  return finalizers.flatMap((name, at) => validateStandardFinalizer(name, `metadata.finalizers[${at}]`));
}
