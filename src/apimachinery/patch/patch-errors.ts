import { ApiError } from '../errors/api-error.js';
import { invalid } from '../errors/field-error.js';
import { invalidObject } from '../errors/status-errors.js';

/** A patch that does not apply. Upstream forgets why (apiserver pkg/endpoints/handlers/patch.go, NewGenericServerResponse). */
export function patchDoesNotApply(cause?: unknown): ApiError {
  const message = 'the server rejected our request due to an error in our request';
  return new ApiError({ code: 422, reason: 'Invalid', message, details: {}, cause });
}

/** A patch whose result is not an object of the right type: `shown` is the result, or the patch where upstream shows that. */
export function patchResultInvalid(shown: string, problem: string): ApiError {
  return invalidObject({ group: '', kind: '' }, '', [invalid('patch', shown, problem)]);
}
