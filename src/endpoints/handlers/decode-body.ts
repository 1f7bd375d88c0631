import type { FieldValidation, Serializer } from '../../apimachinery/codec/serializer/serializer.js';
import { badRequest } from '../../apimachinery/errors/status-errors.js';
import type { DeleteOptionsBody } from '../../apimachinery/meta/delete-options.schema.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { ListOptions } from '../../apimachinery/options/list-options.js';
import { ownCopy } from '../../registry/objects/stored-codec.js';
import { objectBytes, selectorBytes } from '../ledger/held-bytes.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../scope/request-scope.js';

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

/** Passes the decoded object of a body to the audit record, with its defaults. */
function auditObject(scope: RequestScope, request: ApiRequest, object: KubeObject): void {
  const { version, services } = scope;
  request.audit?.requestObject(object.metadata, () => {
    const whole = ownCopy(object);
    version.setDefaults?.(whole);
    // An empty list matters to writes only.
    if (whole.metadata.managedFields?.length === 0) delete whole.metadata.managedFields;
    return String(services.serializers.preferred.encodeObject(version.schema, whole));
  });
}

/** Passes a patch to the audit record, as JSON whatever its encoding is. */
export function auditPatch(request: ApiRequest, patch: () => unknown): void {
  request.audit?.requestBody(() => JSON.stringify(patch()));
}

/** Passes the options of a deletion to the audit record, in upstream's internal version. */
export function auditDeleteOptions(request: ApiRequest, options: DeleteOptionsBody): void {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = options;
  request.audit?.requestBody(() => JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal', ...rest }));
}

/** Charges what the selectors of a list or watch become. Throws the 429 if the client's connection already holds too much. */
export function holdSelectors(request: ApiRequest, { labelSelector, fieldSelector, shardSelector }: ListOptions): void {
  const bytes = selectorBytes(labelSelector, fieldSelector, shardSelector);
  if (bytes > 0) request.hold(bytes);
}
