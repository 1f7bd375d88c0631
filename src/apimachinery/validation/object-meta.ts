import { type FieldError, forbidden, invalid, required } from '../errors/field-error.js';
import type { ObjectMeta } from '../meta/object-meta.schema.js';
import { checkFinalizers } from './finalizers.js';
import { checkAnnotations, checkLabels } from './labels-and-annotations.js';
import { checkManagedFields } from './managed-fields.js';
import { type NameValidator, nameIsDnsLabel } from './name-validator.js';
import { checkOwnerReferences } from './owner-references.js';

/** The resource-specific parts of metadata validation. */
export interface ObjectMetaRules {
  readonly namespaced: boolean;
  /** The rule for names: the resource's own, or `isPathSegmentName` in the check that all resources share. */
  readonly validateName: NameValidator;
  /** Default: `metadata`. */
  readonly path?: string;
}

/**
 * Returns the errors in an object's metadata, after name generation, in upstream's order (apimachinery pkg/api/validation
 * ValidateObjectMeta).
 *
 * On create, it runs with the resource's rule, followed by the resource's own validation, and only if there are no errors with
 * `isPathSegmentName`. On update, it runs with `isPathSegmentName`, then `validateObjectMetaUpdate` runs, and then what the resource's own
 * update validation repeats: `validateObjectMetaUpdate` for Leases, both for Namespaces.
 */
export function validateObjectMeta(meta: ObjectMeta, rules: ObjectMetaRules): readonly FieldError[] {
  const { path = 'metadata' } = rules;
  const errors: FieldError[] = [];
  checkNames(meta, rules, path, errors);
  checkNamespace(meta.namespace ?? '', rules.namespaced, `${path}.namespace`, errors);
  if (meta.generation !== undefined && meta.generation < 0) {
    errors.push(invalid(`${path}.generation`, meta.generation, 'must be greater than or equal to 0'));
  }
  if (meta.labels) checkLabels(meta.labels, `${path}.labels`, errors);
  if (meta.annotations) checkAnnotations(meta.annotations, `${path}.annotations`, errors);
  if (meta.ownerReferences) checkOwnerReferences(meta.ownerReferences, `${path}.ownerReferences`, errors);
  if (meta.finalizers) checkFinalizers(meta.finalizers, `${path}.finalizers`, errors);
  if (meta.managedFields) checkManagedFields(meta.managedFields, `${path}.managedFields`, errors);
  return errors;
}

function checkNames({ name, generateName }: ObjectMeta, { validateName }: ObjectMetaRules, path: string, errors: FieldError[]): void {
  if (generateName) {
    for (const message of validateName(generateName, true)) errors.push(invalid(`${path}.generateName`, generateName, message));
  }
  if (!name) errors.push(required(`${path}.name`, 'name or generateName is required'));
  else for (const message of validateName(name, false)) errors.push(invalid(`${path}.name`, name, message));
}

function checkNamespace(namespace: string, namespaced: boolean, path: string, errors: FieldError[]): void {
  if (!namespaced) {
    if (namespace !== '') errors.push(forbidden(path, 'not allowed on this type'));
  } else if (namespace === '') {
    errors.push(required(path));
  } else {
    for (const message of nameIsDnsLabel(namespace, false)) errors.push(invalid(path, namespace, message));
  }
}
