import { ApiError, aggregateTexts } from './api-error.js';
import { type GroupResource, qualifiedResource } from '../schema/group-resource.js';
import type { FieldError } from './field-error.js';
import { quote } from '../go/go-string.js';
import { omitEmpty } from '../go/omit-empty.js';

/** The group and kind that an Invalid error names: `Lease` in `coordination.k8s.io`. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** A path without a resource, such as /v1//leases, has no kind. */
const detailsOf = ({ group, resource: kind }: GroupResource, name: string) => omitEmpty({ name, group, kind });

/** 400 with a human-readable message and no details. */
export function badRequest(message: string): ApiError {
  return new ApiError({ code: 400, reason: 'BadRequest', message });
}

/** 401. `cause` is only logged. */
export function unauthorized(cause?: Error): ApiError {
  return new ApiError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized', cause });
}

/** 404 for an object that does not exist. */
export function notFound(resource: GroupResource, name: string): ApiError {
  const message = `${qualifiedResource(resource)} ${quote(name)} not found`;
  return new ApiError({ code: 404, reason: 'NotFound', message, details: detailsOf(resource, name) });
}

/** 409 for the creation of an object whose name is taken. */
export function alreadyExists(resource: GroupResource, name: string): ApiError {
  const message = `${qualifiedResource(resource)} ${quote(name)} already exists`;
  return new ApiError({ code: 409, reason: 'AlreadyExists', message, details: detailsOf(resource, name) });
}

/** 409 for a generated name that could not be made unique. */
export function generateNameConflict(resource: GroupResource, name: string): ApiError {
  const message = `${qualifiedResource(resource)} ${quote(name)} already exists, the server was not able to generate a unique name for the object`;
  return new ApiError({ code: 409, reason: 'AlreadyExists', message, details: { ...detailsOf(resource, name), retryAfterSeconds: 1 } });
}

/** 409 for a write that conflicts with the stored state; `reason` ends the message. */
export function conflict(resource: GroupResource, name: string, reason: string): ApiError {
  const message = `Operation cannot be fulfilled on ${qualifiedResource(resource)} ${quote(name)}: ${reason}`;
  return new ApiError({ code: 409, reason: 'Conflict', message, details: detailsOf(resource, name) });
}

/** The text of every optimistic-lock conflict (apiserver pkg/registry/generic/registry/store.go). */
export const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

/** 403; `reason` ends the message. An empty name means the whole resource. */
export function forbidden(resource: GroupResource, name: string, reason: string): ApiError {
  const subject = name === '' ? qualifiedResource(resource) : `${qualifiedResource(resource)} ${quote(name)}`;
  return new ApiError({
    code: 403,
    reason: 'Forbidden',
    message: `${subject} is forbidden: ${reason}`,
    details: detailsOf(resource, name),
  });
}

/** Limits on the errors in a response: a body can contain 10,000, each of which is formatted and written twice. */
const MAX_FIELD_ERRORS = 1000;
const MAX_ERROR_TEXT = 64 * 1024;

/**
 * 422 with one cause per error. Errors with equal texts count once: most of a resource's own checks of an update repeat what the common ones
 * have found (apiserver pkg/registry/rest/validate.go). Of many errors, it has the first.
 */
export function invalidObject({ group, kind }: GroupKind, name: string, found: readonly FieldError[]): ApiError {
  const { errors, texts } = firstErrors(found);
  const qualified = group === '' ? kind : `${kind}.${group}`;
  const aggregate = aggregateTexts(texts);
  return new ApiError({
    code: 422,
    reason: 'Invalid',
    message: errors.length === 0 ? `${qualified} ${quote(name)} is invalid` : `${qualified} ${quote(name)} is invalid: ${aggregate}`,
    details: omitEmpty({ name, group, kind, causes: errors.map((e) => ({ reason: e.type, message: e.body, field: e.field })) }),
  });
}

/** The errors that are shown, and their texts; another text says whether there are more. */
function firstErrors(found: readonly FieldError[]): { errors: readonly FieldError[]; texts: readonly string[] } {
  const errors = new Map<string, FieldError>();
  let length = 0;
  for (const [index, { type, field, body }] of found.entries()) {
    if (errors.size === MAX_FIELD_ERRORS || length > MAX_ERROR_TEXT) {
      return { errors: [...errors.values()], texts: [...errors.keys(), `and ${found.length - index} more`] };
    }
    const text = `${field}: ${body}`;
    if (!errors.has(text)) length += text.length;
    errors.set(text, { type, field, body });
  }
  return { errors: [...errors.values()], texts: [...errors.keys()] };
}

/** 410 for a compacted revision; `token` allows a paged list to continue inconsistently. */
export function expired(message: string, token?: string): ApiError {
  return new ApiError({ code: 410, reason: 'Expired', message, continue: token });
}

/** 413 for a body over the limit; `detail` ends the message. */
export function requestEntityTooLarge(detail: string): ApiError {
  return new ApiError({ code: 413, reason: 'RequestEntityTooLarge', message: `Request entity too large: ${detail}` });
}

/** 415 for a body in an unsupported media type; `accepted` are the supported ones. */
export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return new ApiError({ code: 415, reason: 'UnsupportedMediaType', message });
}

/** 403 for a page of another site, which has no credential of its own. */
export function forbiddenPage(): ApiError {
  const message = 'forbidden: pages of other sites must send a token';
  return new ApiError({ code: 403, reason: 'Forbidden', message, details: {} });
}

/** 406 for an Accept header that matches nothing; `accepted` are the available media types. */
export function notAcceptable(accepted: readonly string[]): ApiError {
  const message = `only the following media types are accepted: ${accepted.join(', ')}`;
  return new ApiError({ code: 406, reason: 'NotAcceptable', message });
}

/** 405 for a method that the resource does not support; `hint` says which ones there are. */
export function methodNotAllowed(hint?: string): ApiError {
  const message = 'the server does not allow this method on the requested resource';
  return new ApiError({ code: 405, reason: 'MethodNotAllowed', message: withHint(message, hint), details: {} });
}

/** 404 for an unknown path within a served group version; `hint` says what there is instead. */
export function resourceNotFound(hint?: string): ApiError {
  const message = 'the server could not find the requested resource';
  return new ApiError({ code: 404, reason: 'NotFound', message: withHint(message, hint), details: {} });
}

/** 504 for a future revision, as a minimum or exactly (apiserver pkg/storage/cacher/watch_cache.go). */
export function tooLargeResourceVersion(requested: bigint, current: number, retryAfterSeconds?: number): ApiError {
  return new ApiError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${requested}, current: ${current}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    },
  });
}

/** 504 for a request that reached its deadline (Go's `context deadline exceeded`). */
export function requestTimeout(): ApiError {
  const message = 'Timeout: request did not complete within requested timeout - context deadline exceeded';
  return new ApiError({ code: 504, reason: 'Timeout', message, details: {} });
}

/** 503: the database is temporarily unavailable and nothing was done; the client should retry. */
export function serviceUnavailable(resource: GroupResource, operation: string, cause?: unknown): ApiError {
  return new ApiError({
    code: 503,
    reason: 'ServiceUnavailable',
    message: `The ${operation} operation against ${qualifiedResource(resource)} could not be completed at this time, please try again.`,
    details: { ...(resource.group === '' ? {} : { group: resource.group }), kind: resource.resource, retryAfterSeconds: 2 },
    cause,
  });
}

/**
 * 503: the database is known to be unavailable, so nothing was tried. client-go repeats a request ten times while the response has a
 * Retry-After in seconds, and leaves one with a date to its caller (client-go rest/request.go, retryAfterSeconds): kubectl ends with this
 * error, and leader electors try again in their own time. Other clients read both forms.
 */
export function databaseUnavailable(resource: GroupResource, operation: string, cause?: unknown): ApiError {
  return new ApiError({
    code: 503,
    reason: 'ServiceUnavailable',
    message: `The ${operation} operation against ${qualifiedResource(resource)} could not be completed: the database is unavailable, please try again later.`,
    details: { ...(resource.group === '' ? {} : { group: resource.group }), kind: resource.resource, retryAfterSeconds: 2 },
    retryAfterDate: true,
    cause,
  });
}

/** 504: it is unknown whether a write was committed. It must not be repeated blindly, so there is no Retry-After. */
export function outcomeUnknown(resource: GroupResource, operation: string, cause?: unknown): ApiError {
  const message = `Timeout: the outcome of the ${operation} operation against ${qualifiedResource(resource)} is unknown - the database did not confirm it`;
  return new ApiError({ code: 504, reason: 'Timeout', message, details: {}, cause });
}

/** 429 from flow control; the client should retry after `retryAfterSeconds`. */
export function tooManyRequests(message: string, retryAfterSeconds: number): ApiError {
  return new ApiError({ code: 429, reason: 'TooManyRequests', message, details: { retryAfterSeconds } });
}

/** 500. `text` is shown to the client; `cause` is only logged. */
export function internalError(text: string, cause?: unknown): ApiError {
  const message = `Internal error occurred: ${text}`;
  return new ApiError({ code: 500, reason: 'InternalError', message, details: { causes: [{ message: text }] }, cause });
}

/** 500 for an error that upstream has no reason for: the text alone (apiserver responsewriters/status.go ErrorToAPIStatus). */
export function unclassifiedError(message: string, cause?: unknown): ApiError {
  return new ApiError({ code: 500, reason: '', message, cause });
}

function withHint(message: string, hint: string | undefined): string {
  return hint === undefined ? message : `${message}: ${hint}`;
}
