import { parseDeleteOptions, deleteOptionsFromBody } from '../../apimachinery/options/delete-options.js';
import type { DeleteOptions } from '../../apimachinery/options/delete-options.js';
import type { Status } from '../../apimachinery/meta/status.schema.js';
import { requireInput } from '../negotiation/input-negotiation.js';
import type { OutputChoice } from '../negotiation/output-negotiation.js';
import { wantsPretty } from '../negotiation/wants-pretty.js';
import type { ApiRequest } from '../request/api-request.js';
import { readBody } from '../exchange/read-body.js';
import type { RequestScope } from '../scope/request-scope.js';
import { sendResponse } from '../response/send-response.js';
import { writeObject } from '../writers/write-object.js';
import { auditDeleteOptions } from './audit-body.js';
import { authorizeUnsafeDelete } from './authorize-unsafe-delete.js';

/** DELETE of one object (apiserver handlers/delete.go). */
export async function deleteResource(scope: RequestScope, request: ApiRequest): Promise<void> {
  const choice = scope.negotiation.require(request.accept);
  const options = await readDeleteOptions(scope, request);
  if (options.unsafe) await authorizeUnsafeDelete(scope, request);
  const result = await scope.store.delete(request, scope.target(request), options);
  if ('status' in result) writeSuccess(request, choice, result.status);
  else writeObject(scope, request, objectForm(choice), result.accepted ? 202 : 200, result);
}

/** The options of a DELETE: from its body if there is one, otherwise from the query. */
export async function readDeleteOptions(scope: RequestScope, request: ApiRequest): Promise<DeleteOptions> {
  const body = await readBody(request.raw);
  if (body.length === 0) return parseDeleteOptions(request.query);
  const input = requireInput(scope.services.serializers, request.headers['content-type']);
  const given = input.decodeDeleteOptions(body);
  auditDeleteOptions(request, given);
  return deleteOptionsFromBody(given);
}

/** A Status is never transformed, so a list form is valid for it. An object that is only marked for deletion ignores that form. */
function objectForm({ transform, ...choice }: OutputChoice): OutputChoice {
  return transform && transform.kind !== 'PartialObjectMetadataList' ? { ...choice, transform } : choice;
}

function writeSuccess(request: ApiRequest, { serializer, pretty }: OutputChoice, status: Status): void {
  request.audit?.responseStatus(status, () => JSON.stringify(status));
  const indented = pretty || wantsPretty(request.query, request.userAgent);
  sendResponse(request, 200, serializer.mediaType, serializer.encodeStatus(status, { pretty: indented }));
}
