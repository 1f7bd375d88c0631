import type { FieldError } from '../../../apimachinery/errors/field-error.js';
import { invalid } from '../../../apimachinery/errors/field-error.js';
import { validateQualifiedName } from '../../../apimachinery/validation/label-syntax.js';
import type { Namespace } from './namespace.js';
import { ACTIVE, TERMINATING } from './namespace.js';

/** Finalizers without a prefix that the core group knows. */
const STANDARD_FINALIZERS: readonly string[] = ['kubernetes', 'orphan', 'foregroundDeletion'];

/** The core group's rules beside those of all metadata (kubernetes pkg/apis/core/validation, ValidateNamespace). */
export function validateNamespace({ metadata, spec }: Namespace): FieldError[] {
  const own = (metadata.finalizers ?? []).flatMap((name, at) => validateStandardFinalizer(name, `metadata.finalizers[${at}]`));
  return [...own, ...(spec?.finalizers ?? []).flatMap((name) => validateFinalizer(name, 'spec.finalizers'))];
}

/** What PUT /finalize may write. */
export function validateFinalize({ spec }: Namespace): FieldError[] {
  return (spec?.finalizers ?? []).flatMap((name, at) => validateFinalizer(name, `spec.finalizers[${at}]`));
}

/** What PUT /status may write: the phase follows from whether the namespace is being deleted. */
export function validateStatus({ metadata, status }: Namespace): FieldError[] {
  const phase = status?.phase ?? '';
  if (metadata.deletionTimestamp === undefined) {
    return phase === ACTIVE ? [] : [invalid('status.Phase', phase, "may only be 'Active' if `deletionTimestamp` is empty")];
  }
  return phase === TERMINATING ? [] : [invalid('status.Phase', phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")];
}

function validateFinalizer(name: string, field: string): FieldError[] {
  return [...validateQualifiedName(name).map((message) => invalid(field, name, message)), ...validateStandardFinalizer(name, field)];
}

function validateStandardFinalizer(name: string, field: string): FieldError[] {
  if (name.includes('/') || STANDARD_FINALIZERS.includes(name)) return [];
  return [invalid(field, name, 'name is neither a standard finalizer name nor is it fully qualified')];
}
