import { internalError } from '../../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import { parseCreateOptions, parseUpdateOptions } from '../../apimachinery/options/write-options.js';
import { type Authorizer, forbiddenRequest } from '../../auth/authorization/authorizer.js';
import type { UpdateSource } from '../../registry/resource/resource-store.js';
import { matchName, matchNamespace } from '../../registry/rules/preconditions.js';
import { furtherTurn, readBody } from '../exchange/read-body.js';
import { requireInput } from '../negotiation/serializers.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../scope/request-scope.js';
import { requireObjectForm } from '../writers/table.js';
import { writeObject } from '../writers/write-object.js';
import { decodeBody } from './decode-body.js';

/** POST to a collection (apiserver handlers/create.go). */
export async function createResource(scope: RequestScope, request: ApiRequest): Promise<void> {
  const choice = scope.negotiation.require(request.accept);
  requireObjectForm(scope, choice);
  const input = requireInput(scope.services.serializers, request.headers['content-type']);
  const body = await readBody(request.raw);
  const options = parseCreateOptions(request.query);
  const object = decodeBody(scope, request, input, body, options.fieldValidation);
  request.nameInBody = object.metadata?.name ?? '';
  await furtherTurn(request.raw, body);
  const stored = await scope.store.create(request, scope.target(request), object, options);
  writeObject(scope, request, choice, 201, { object: stored });
}

/** PUT of one object (apiserver handlers/update.go). */
export async function updateResource(scope: RequestScope, request: ApiRequest): Promise<void> {
  const choice = scope.negotiation.require(request.accept);
  requireObjectForm(scope, choice);
  const body = await readBody(request.raw);
  const options = parseUpdateOptions(request.query);
  const input = requireInput(scope.services.serializers, request.headers['content-type']);
  const object = decodeBody(scope, request, input, body, options.fieldValidation);
  const target = scope.target(request);
  matchNamespace(object.metadata, target.namespace);
  matchName(object.metadata, target.name);
  const source = replacement(object, () => allowCreate(scope.services.authorizer, request));
  await furtherTurn(request.raw, body);
  const result = await scope.store.update(request, target, source, options);
  writeObject(scope, request, choice, result.created ? 201 : 200, result);
}

function replacement(object: KubeObject, authorizeCreate: () => Promise<void>): UpdateSource {
  return {
    next: () => object,
    uid: object.metadata.uid,
    mayCreate: true,
    authorizeCreate,
    tracksFields: 'update',
    retries: false,
  };
}

/** Authorizes the creation that a PUT or apply turns into: verb `create` on the name in the URL. Rejects with the 403. */
export async function allowCreate(authorizer: Authorizer, { info, user }: ApiRequest): Promise<void> {
  const attributes = { ...info, verb: 'create' };
  const decision = await authorizer.authorize(user, attributes);
  if (decision.allowed) return;
  if (decision.error) throw internalError(decision.error.message, decision.error);
  throw forbiddenRequest(user, attributes, decision.reason);
}
