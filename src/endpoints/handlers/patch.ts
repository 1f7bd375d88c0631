import { unsupportedMediaType } from '../../apimachinery/errors/status-errors.js';
import { parsePatchOptions } from '../../apimachinery/options/write-options.js';
import { patchMediaTypes } from '../negotiation/patch-media-types.js';
import type { ApiRequest } from '../request/api-request.js';
import { readBody } from '../exchange/read-body.js';
import type { RequestScope } from '../scope/request-scope.js';
import { writeObject } from '../writers/write-object.js';
import { requireObjectForm } from '../writers/required-form.js';
import type { ApplyEncoding } from './apply-patch.js';
import { applySource } from './apply-patch.js';
import { auditPatch } from './audit-body.js';
import { allowCreateOf } from './allow-create.js';
import { patchSource, patchTypeOf } from './object-patch.js';

/** PATCH of one object (apiserver handlers/patch.go). */
export async function patchResource(scope: RequestScope, request: ApiRequest): Promise<void> {
  const mediaType = patchMediaType(scope, request);
  const type = patchTypeOf(mediaType);
  const choice = scope.negotiation.require(request.accept);
  requireObjectForm(scope, choice);
  const body = await readBody(request.raw);
  const options = parsePatchOptions(request.query, type === undefined);
  auditPatch(request, mediaType, body);
  allowCreateOf(scope, request);
  const source = type
    ? patchSource(scope, request, type, body, options)
    : applySource(scope, request, applyEncoding(mediaType), body, options);
  const result = await scope.store.update(request, scope.target(request), source, options);
  writeObject(scope, request, choice, result.created ? 201 : 200, result);
}

/** The Content-Type without its parameters. The router is less strict about spaces (apiserver handlers/patch.go). */
function patchMediaType(scope: RequestScope, request: ApiRequest): string {
  const header = request.headers['content-type'] ?? '';
  const semicolon = header.indexOf(';');
  const mediaType = semicolon > 0 ? header.slice(0, semicolon) : header;
  const accepted = patchMediaTypes(scope.services.serializers);
  if (!accepted.includes(mediaType)) throw unsupportedMediaType(accepted);
  return mediaType;
}

function applyEncoding(mediaType: string): ApplyEncoding {
  return mediaType === 'application/apply-patch+cbor' ? 'cbor' : 'yaml';
}
