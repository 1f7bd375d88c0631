import type { FieldValidation, Serializer } from '../../apimachinery/codec/serializer/serializer.js';
import { badRequest } from '../../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import { objectBytes } from '../ledger/held-objects.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../scope/request-scope.js';
import { auditObject } from './audit-body.js';

/** What becomes of smaller bodies is part of the charge for any request. */
export const INCLUDED_BYTES = 2048;

/** Decodes the object in a request's body, which must be in the scope's version; findings become Warnings. Throws upstream's 400. */
export function decodeBody(
  scope: RequestScope,
  request: ApiRequest,
  input: Serializer,
  body: Buffer,
  validation: FieldValidation,
): KubeObject {
  try {
    const { object, warnings } = input.decodeObject(body, scope.expected, validation);
    if (body.length > INCLUDED_BYTES) request.hold(objectBytes(body.length, object));
    for (const warning of warnings) request.warn(warning);
    const { apiVersion } = object;
    if (apiVersion !== undefined && apiVersion !== scope.apiVersion) {
      throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${scope.apiVersion})`);
    }
    if (request.audit) auditObject(scope, request, object);
    return object;
  } catch (error) {
    request.nameInBody = nameIn(body);
    throw error;
  }
}

const LOOKED_THROUGH_BYTES = 4096;
const NAME = /"metadata"\s*:\s*\{[^{}]*?"name"\s*:\s*"([^"\\]+)"/;

/** The name in JSON that is no valid object, '' if it is not found. */
function nameIn(body: Buffer): string {
  return NAME.exec(body.toString('utf8', 0, LOOKED_THROUGH_BYTES))?.[1] ?? '';
}
