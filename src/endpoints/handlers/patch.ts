import { badRequest } from '../../apimachinery/errors/status-errors.js';
import { parsePatchOptions } from '../../apimachinery/meta/options/patch-options.js';
import type { PatchOptions } from '../../apimachinery/meta/options/request-options.js';
import type { UpdateSource } from '../../registry/resource-store.js';
import type { ApiRequest } from '../request/api-request.js';
import { readBody } from '../request/body-reader.js';
import type { RequestScope } from '../request/request-scope.js';
import { writeObject } from '../writers/object-writer.js';
import { APPLY_YAML, applySource } from './apply-patch.js';
import { allowCreateOf } from './authorize-create.js';

/** PATCH of one object (apiserver handlers/patch.go). The router has already refused unknown patch types. */
export async function patchResource(scope: RequestScope, request: ApiRequest): Promise<void> {
  const patchType = mediaTypeOf(request);
  const choice = scope.negotiation.require(request.accept);
  const body = await readBody(request.raw);
  const options = parsePatchOptions(request.query, patchType === APPLY_YAML);
  allowCreateOf(scope, request);
  const source = sourceOf(scope, request, patchType, body, options);
  const { object, created } = await scope.store.update(request, scope.target(request), source, options);
  writeObject(scope, request, choice, created ? 201 : 200, object);
}

function sourceOf(scope: RequestScope, request: ApiRequest, patchType: string, body: Buffer, options: PatchOptions): UpdateSource {
  if (patchType === APPLY_YAML) return applySource(scope, request, body, options);
  throw badRequest(`patches of type ${patchType} are not served yet`);
}

/** The Content-Type without its parameters, as the router took it. */
function mediaTypeOf(request: ApiRequest): string {
  const [mediaType = ''] = (request.headers['content-type'] ?? '').split(';');
  return mediaType.trim();
}
