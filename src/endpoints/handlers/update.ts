import { matchName, matchNamespace } from '../../registry/rules/preconditions.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import { parseUpdateOptions } from '../../apimachinery/options/write-options.js';
import type { UpdateSource } from '../../registry/resource/resource-store.js';
import { requireInput } from '../negotiation/input-negotiation.js';
import type { ApiRequest } from '../request/api-request.js';
import { furtherTurn, readBody } from '../exchange/read-body.js';
import type { RequestScope } from '../scope/request-scope.js';
import { writeObject } from '../writers/write-object.js';
import { requireObjectForm } from '../writers/required-form.js';
import { allowCreate } from './allow-create.js';
import { decodeBody } from './decode-body.js';

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
