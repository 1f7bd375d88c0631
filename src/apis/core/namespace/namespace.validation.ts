import { ZERO_TIME } from '../../../apimachinery/go/go-time.js';
import { type FieldError, invalid, TypedString } from '../../../apimachinery/errors/field-error.js';
import { nameIsDnsLabel, validateQualifiedName } from '../../../apimachinery/validation/names.js';
import { validateCoreMetadata, validateStandardFinalizer } from '../core-metadata.validation.js';
import { type Namespace, ACTIVE, TERMINATING } from './namespace.schema.js';

/** The rules for a namespace (kubernetes pkg/apis/core/validation, ValidateNamespace). */
export function validateNamespace({ metadata, spec }: Namespace): FieldError[] {
  return [
    ...validateCoreMetadata(metadata, { namespaced: false, validateName: nameIsDnsLabel }),
    ...(spec?.finalizers ?? []).flatMap((name) => validateFinalizer(name, 'spec.finalizers')),
  ];
}

/** The rules for PUT /finalize. */
export function validateFinalize({ spec }: Namespace): FieldError[] {
  return (spec?.finalizers ?? []).flatMap((name, at) => validateFinalizer(name, `spec.finalizers[${at}]`));
}

/** The rules for PUT /status: the phase follows from whether the namespace is being deleted. */
export function validateStatus(namespace: Namespace): FieldError[] {
  const phase = namespace.status?.phase ?? '';
  const alive = (namespace.metadata.deletionTimestamp ?? ZERO_TIME) === ZERO_TIME;
  const wrong = alive
    ? "may only be 'Active' if `deletionTimestamp` is empty"
    : "may only be 'Terminating' if `deletionTimestamp` is not empty";
  return phase === (alive ? ACTIVE : TERMINATING) ? [] : [invalid('status.Phase', new TypedString(phase), wrong)];
}

function validateFinalizer(name: string, field: string): FieldError[] {
  return [...validateQualifiedName(name).map((message) => invalid(field, name, message)), ...validateStandardFinalizer(name, field)];
}
