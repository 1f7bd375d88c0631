import { parseCreateOptions } from '../../apimachinery/options/write-options.js';
import { requireInput } from '../negotiation/input-negotiation.js';
import type { ApiRequest } from '../request/api-request.js';
import { furtherTurn, readBody } from '../exchange/read-body.js';
import type { RequestScope } from '../scope/request-scope.js';
import { writeObject } from '../writers/write-object.js';
import { requireObjectForm } from '../writers/required-form.js';
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
