import type { FieldError } from '../../../apimachinery/errors/field-error.js';
import { invalid } from '../../../apimachinery/errors/field-error.js';
import { validateQualifiedName } from '../../../apimachinery/validation/label-syntax.js';
import type { Namespace } from './namespace.js';
import { ACTIVE, TERMINATING } from './namespace.js';

/** Finalizers without a prefix that the core group knows. */
const STANDARD_FINALIZERS: readonly string[] = ['kubernetes', 'orphan', 'foregroundDeletion'];

/** The core group's rules beside those of all metadata (kubernetes pkg/apis/core/validation, ValidateNamespace). */
export function validateNamespace(namespace: Namespace): FieldError[] {
  const { spec } = namespace;
  return [...validateMetadataUpdate(namespace), ...(spec?.finalizers ?? []).flatMap((name) => validateFinalizer(name, 'spec.finalizers'))];
}

/** What the core group asks of changed metadata, which every way of updating has (ValidateObjectMetaUpdate). */
export function validateMetadataUpdate({ metadata }: Namespace): FieldError[] {
  return (metadata.finalizers ?? []).flatMap((name, at) => validateStandardFinalizer(name, `metadata.finalizers[${at}]`));
}

/** What PUT /finalize may write. */
export function validateFinalize(namespace: Namespace): FieldError[] {
  const finalizers = namespace.spec?.finalizers ?? [];
  return [...validateMetadataUpdate(namespace), ...finalizers.flatMap((name, at) => validateFinalizer(name, `spec.finalizers[${at}]`))];
}

/** What PUT /status may write: the phase follows from whether the namespace is being deleted. */
export function validateStatus(namespace: Namespace): FieldError[] {
  const phase = namespace.status?.phase ?? '';
  const alive = namespace.metadata.deletionTimestamp === undefined;
  const wrong = alive
    ? "may only be 'Active' if `deletionTimestamp` is empty"
    : "may only be 'Terminating' if `deletionTimestamp` is not empty";
  const own = phase === (alive ? ACTIVE : TERMINATING) ? [] : [invalid('status.Phase', phase, wrong)];
  return [...validateMetadataUpdate(namespace), ...own];
}

function validateFinalizer(name: string, field: string): FieldError[] {
  return [...validateQualifiedName(name).map((message) => invalid(field, name, message)), ...validateStandardFinalizer(name, field)];
}

function validateStandardFinalizer(name: string, field: string): FieldError[] {
  if (name.includes('/') || STANDARD_FINALIZERS.includes(name)) return [];
  return [invalid(field, name, 'name is neither a standard finalizer name nor is it fully qualified')];
}
