import {
  type DeleteOptions,
  parseDeleteOptions,
  deleteOptionsFromBody,
  refuseUnsafeCollection,
} from '../../apimachinery/options/delete-options.js';
import type { Status } from '../../apimachinery/meta/status.schema.js';
import { requireInput } from '../negotiation/serializers.js';
import { type OutputChoice, wantsPretty } from '../negotiation/output-negotiation.js';
import type { ApiRequest } from '../request/api-request.js';
import { readBody } from '../exchange/read-body.js';
import type { RequestScope } from '../scope/request-scope.js';
import { sendResponse } from '../response/send-response.js';
import { writeList, writeObject } from '../writers/write-object.js';
import { auditDeleteOptions, holdSelectors } from './decode-body.js';
import { parseListOptions } from '../../apimachinery/options/list-options.js';
import { parseSelectors } from '../../registry/scope/select-objects.js';
import { requireListForm } from '../writers/table.js';
import { badRequest, forbidden } from '../../apimachinery/errors/status-errors.js';

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
async function readDeleteOptions(scope: RequestScope, request: ApiRequest): Promise<DeleteOptions> {
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

/** DELETE of a collection; the response is the list of deleted objects (apiserver handlers/delete.go DeleteCollection). */
export async function deleteCollectionResource(scope: RequestScope, request: ApiRequest): Promise<void> {
  const choice = scope.negotiation.require(request.accept);
  requireListForm(scope, choice);
  const listOptions = parseListOptions(request.query);
  holdSelectors(request, listOptions);
  parseSelectors(scope.definition, listOptions); // refused ahead of what the body says
  const deleteOptions = await readDeleteOptions(scope, request);
  refuseUnsafeCollection(deleteOptions);
  const page = await scope.store.deleteCollection(request, scope.target(request), listOptions, deleteOptions);
  await writeList(scope, request, choice, page);
}

const VERB = 'unsafe-delete-ignore-read-errors';
const NO_DELETER = 'no unsafe deleter provided, can not honor ignoreStoreReadErrorWithClusterBreakingPotential';

/** Deleting an object that cannot be decoded needs a right of its own (apiserver handlers/delete.go). Throws the 400 or 403. */
async function authorizeUnsafeDelete(scope: RequestScope, request: ApiRequest): Promise<void> {
  request.audit?.annotate('apiserver.k8s.io/unsafe-delete-ignore-read-error', '');
  if (scope.definition.strategy.withoutUnsafeDeletion) throw badRequest(`Internal error occurred: ${NO_DELETER}`);
  const decision = await scope.services.authorizer.authorize(request.user, { ...request.info, verb: VERB });
  if (decision.allowed) return;
  const { reason = '', error } = decision;
  const why = error
    ? `error while checking permission for "${VERB}", ${error.message}`
    : `not permitted to do "${VERB}", reason: ${reason}`;
  throw forbidden(scope.definition, request.info.name, why);
}
