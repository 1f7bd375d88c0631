import type { FieldError } from '../../apimachinery/errors/field-error.js';
import type { KubeObject } from '../../apimachinery/meta/kube-object.js';
import { isPathSegmentName } from '../../apimachinery/validation/path-segment-name.js';
import { validateCoreMetadata } from '../core/core-metadata.validation.js';

/** The rules for the metadata of roles and bindings; a generateName follows the rules for names (kubernetes pkg/apis/rbac/validation). */
export function validateRbacMetadata({ metadata }: KubeObject, namespaced: boolean): FieldError[] {
  return validateCoreMetadata(metadata, { namespaced, validateName: (name) => isPathSegmentName(name, false) });
}
