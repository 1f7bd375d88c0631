import { ApiError } from '../errors/api-error.js';
import { invalid } from '../errors/field-error.js';
import { invalidObject } from '../errors/status-errors.js';

/**
 * The error for a patch that does not apply. Upstream drops the reason (apiserver pkg/endpoints/handlers/patch.go,
 * NewGenericServerResponse).
 */
export function patchDoesNotApply(cause?: unknown): ApiError {
  const message = 'the server rejected our request due to an error in our request';
  return new ApiError({ code: 422, reason: 'Invalid', message, details: {}, cause });
}

/** The error for a patch whose result does not match the type. `shown` is the result, or the patch if upstream shows that. */
export function patchResultInvalid(shown: string, problem: string): ApiError {
  return invalidObject({ group: '', kind: '' }, '', [invalid('patch', shown, problem)]);
}
