import type { FieldValidation, Serializer } from '../../apimachinery/codec/serializer/serializer.js';
import { badRequest } from '../../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../../apimachinery/meta/kube-object.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../scope/request-scope.js';
import { auditObject } from './audit-body.js';

/** Decodes the object in a request's body, which must be in the scope's version; findings become Warnings. Throws upstream's 400. */
export function decodeBody(
  scope: RequestScope,
  request: ApiRequest,
  input: Serializer,
  body: Buffer,
  validation: FieldValidation,
): KubeObject {
  const { object, warnings } = input.decodeObject(body, scope.expected, validation);
  for (const warning of warnings) request.warn(warning);
  const { apiVersion } = object;
  if (apiVersion !== undefined && apiVersion !== scope.apiVersion) {
    throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${scope.apiVersion})`);
  }
  if (request.audit) auditObject(scope, request, object);
  return object;
}
