import { type FieldError, invalid } from '../../apimachinery/errors/field-error.js';
import type { ObjectMeta } from '../../apimachinery/meta/object-meta.schema.js';
import { type ObjectMetaRules, validateObjectMeta } from '../../apimachinery/validation/object-meta.js';
import { isPathSegmentName } from '../../apimachinery/validation/names.js';

/** The finalizers without a prefix that the core group accepts. */
const STANDARD_FINALIZERS: readonly string[] = ['kubernetes', 'orphan', 'foregroundDeletion'];

/**
 * The core group's rules for metadata, which RBAC and events.k8s.io share: in addition to the general rules, a finalizer has a prefix or
 * is a standard one (kubernetes pkg/apis/core/validation ValidateObjectMeta).
 */
export function validateCoreMetadata(metadata: ObjectMeta, rules: ObjectMetaRules): FieldError[] {
  return [...validateObjectMeta(metadata, rules), ...validateFinalizers(metadata)];
}

/** The rules for the metadata of roles and bindings; a generateName follows the rules for names (kubernetes pkg/apis/rbac/validation). */
export function validateRbacMetadata(metadata: ObjectMeta, namespaced: boolean): FieldError[] {
  return validateCoreMetadata(metadata, { namespaced, validateName: (name) => isPathSegmentName(name, false) });
}

export function validateStandardFinalizer(name: string, field: string): FieldError[] {
  if (name.includes('/') || STANDARD_FINALIZERS.includes(name)) return [];
  return [invalid(field, name, 'name is neither a standard finalizer name nor is it fully qualified')];
}

/** What the core group's rules for an update of metadata add to those for all resources (ValidateObjectMetaUpdate). */
export function validateFinalizers({ finalizers = [] }: ObjectMeta): FieldError[] {
  return finalizers.flatMap((name, at) => validateStandardFinalizer(name, `metadata.finalizers[${at}]`));
}
