import { type FieldError, notSupported } from '../errors/field-error.js';
import type { ApiError } from '../errors/api-error.js';
import { invalidObject } from '../errors/status-errors.js';

/** The option kinds of meta.k8s.io/v1 that validation errors name. */
export type OptionsKind = 'CreateOptions' | 'DeleteOptions' | 'ListOptions' | 'PatchOptions' | 'UpdateOptions';

export function invalidOptions(kind: OptionsKind, errors: readonly FieldError[]): ApiError {
  return invalidObject({ group: 'meta.k8s.io', kind }, '', errors);
}

/** Adds an error unless every value of dryRun is `All`. */
export function checkDryRun(values: readonly string[], errors: FieldError[]): void {
  if (values.some((value) => value !== 'All')) errors.push(notSupported('dryRun', values, ['All']));
}
