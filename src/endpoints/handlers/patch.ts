import { MAX_PATCH_VALUES, MAX_VALUES } from '../../apimachinery/codec/limits/body-limits.js';
import { unsupportedMediaType } from '../../apimachinery/errors/status-errors.js';
import { type PatchOptions, parsePatchOptions } from '../../apimachinery/options/write-options.js';
import { patchText } from '../../apimachinery/patch/json-patch.js';
import type { UpdateSource } from '../../registry/resource/resource-store.js';
import { patchMediaTypes } from '../negotiation/serializers.js';
import { objectBytes, patchBytes } from '../ledger/held-objects.js';
import type { ApiRequest } from '../request/api-request.js';
import { furtherTurn, readBody } from '../exchange/read-body.js';
import type { RequestScope } from '../scope/request-scope.js';
import { writeObject } from '../writers/write-object.js';
import { requireObjectForm } from '../writers/required-form.js';
import { type ApplyEncoding, applySource, decodeApplyConfiguration } from './apply-patch.js';
import { auditPatch } from './audit-body.js';
import { INCLUDED_BYTES } from './decode-body.js';
import { patchSource, patchTypeOf } from './object-patch.js';

/** PATCH of one object (apiserver handlers/patch.go). */
export async function patchResource(scope: RequestScope, request: ApiRequest): Promise<void> {
  const mediaType = patchMediaType(scope, request);
  const choice = scope.negotiation.require(request.accept);
  requireObjectForm(scope, choice);
  const body = await readBody(request.raw);
  const options = parsePatchOptions(request.query, patchTypeOf(mediaType) === undefined);
  const source = sourceOf(scope, request, mediaType, body, options);
  await furtherTurn(request.raw, body);
  const result = await scope.store.update(request, scope.target(request), source, options);
  writeObject(scope, request, choice, result.created ? 201 : 200, result);
}

/** Judges the body and passes it to the audit record, whether or not the object exists. */
function sourceOf(scope: RequestScope, request: ApiRequest, mediaType: string, body: Buffer, options: PatchOptions): UpdateSource {
  const type = patchTypeOf(mediaType);
  if (type) {
    const text = patchText(body, type === 'json' ? MAX_PATCH_VALUES : MAX_VALUES);
    if (body.length > INCLUDED_BYTES) request.hold(patchBytes(body));
    auditPatch(request, () => JSON.parse(text));
    return patchSource(scope, request, type, text, options);
  }
  const configuration = decodeApplyConfiguration(body, applyEncoding(mediaType));
  if (body.length > INCLUDED_BYTES) request.hold(objectBytes(body.length, configuration.value));
  auditPatch(request, () => configuration.value);
  return applySource(scope, request, configuration, options);
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
