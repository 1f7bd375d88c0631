import { cborToPlainMap } from '../../apimachinery/codec/cbor/cbor-decoder.js';
import { MAX_PATCH_VALUES, MAX_VALUES } from '../../apimachinery/codec/limits/body-limits.js';
import { duplicatesFinding, yamlToJson } from '../../apimachinery/codec/yaml/yaml-to-json.js';
import { isDecodeError } from '../../apimachinery/errors/api-error.js';
import { badRequest, conflict, notFound, unsupportedMediaType } from '../../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import { type PatchOptions, parsePatchOptions } from '../../apimachinery/options/write-options.js';
import { type PatchType, applyPatch } from '../../apimachinery/patch/apply-patch.js';
import { patchText } from '../../apimachinery/patch/json-patch.js';
import { isObject } from '../../apimachinery/schema/is-object.js';
import { timestamp } from '../../registry/objects/object-values.js';
import type { UpdateSource } from '../../registry/resource/resource-store.js';
import { furtherTurn, readBody } from '../exchange/read-body.js';
import { objectBytes, patchBytes } from '../ledger/held-bytes.js';
import { patchMediaTypes } from '../negotiation/serializers.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../scope/request-scope.js';
import { requireObjectForm } from '../writers/table.js';
import { writeObject } from '../writers/write-object.js';
import { INCLUDED_BYTES, auditPatch } from './decode-body.js';
import { allowCreate } from './create-and-update.js';

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

const PATCH_TYPES: ReadonlyMap<string, PatchType> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
]);

/** The patch type for a Content-Type; undefined for apply. */
function patchTypeOf(mediaType: string): PatchType | undefined {
  return PATCH_TYPES.get(mediaType);
}

/**
 * Computes the next state of an existing object by a JSON, merge or strategic merge patch (apiserver handlers/patch.go jsonPatcher,
 * smpPatcher).
 */
function patchSource(scope: RequestScope, request: ApiRequest, type: PatchType, text: string, options: PatchOptions): UpdateSource {
  const patch = { type, text, expected: scope.expected, validation: options.fieldValidation };
  const next = (live: KubeObject | undefined): KubeObject => {
    if (!live) throw notFound(scope.definition, request.info.name);
    const { kind } = scope.definition;
    const { object, warnings } = applyPatch(patch, { ...live, kind, apiVersion: scope.apiVersion });
    for (const warning of warnings) request.warn(warning);
    return object;
  };
  return { next, mayCreate: false, tracksFields: 'update', retries: true };
}

/** The encoding of an apply configuration. */
type ApplyEncoding = 'yaml' | 'cbor';

/** A brace after what is space to Go (unicode.IsSpace). */
const OBJECT_BEGINS = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*\{/;

type Plain = Record<string, unknown>;

/** A decoded apply configuration. */
interface ApplyConfiguration {
  /** An object, unless the client is mistaken. */
  readonly value: unknown;
  /** Duplicate keys: `line 4: key "x" already set in map`. */
  readonly duplicates: readonly string[];
}

/** Server-side apply as the next state of an object (apiserver handlers/patch.go applyPatcher). */
function applySource(scope: RequestScope, request: ApiRequest, configuration: ApplyConfiguration, options: PatchOptions): UpdateSource {
  const object = requireObject(configuration);
  const next = (live: KubeObject | undefined): KubeObject => {
    const applied = scope.fieldManager.apply(live, object, {
      manager: options.fieldManager,
      apiVersion: scope.apiVersion,
      now: timestamp(scope.services.now()),
      force: options.force,
    });
    reportDuplicates(request, configuration.duplicates, options);
    if (!live && applied.metadata.uid) throw uidMismatch(scope, request, applied.metadata.uid);
    return applied;
  };
  const authorizeCreate = () => allowCreate(scope.services.authorizer, request);
  return { next, mayCreate: true, authorizeCreate, tracksFields: 'own', retries: true };
}

/** Decodes a body of YAML, of which JSON is a subset, or of CBOR. Throws the 400 of a body that is not (validateAndTranscodePatch). */
function decodeApplyConfiguration(body: Buffer, encoding: ApplyEncoding): ApplyConfiguration {
  try {
    if (encoding === 'cbor') return { value: cborToPlainMap(body), duplicates: [] };
    const { json, duplicates } = yamlToJson(body);
    return { value: JSON.parse(json), duplicates };
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    if (encoding === 'cbor') throw badRequest(`error decoding patch: ${error.message}`);
    const where = beginsLikeJson(body) ? 'error decoding patch: error converting YAML to JSON' : 'error encoding patch';
    throw badRequest(`${where}: ${error.message}`);
  }
}

/** Such a body is taken for JSON until it is decoded (apimachinery pkg/util/yaml IsJSONBuffer). */
function beginsLikeJson(body: Buffer): boolean {
  return OBJECT_BEGINS.test(body.toString());
}

function requireObject({ value }: ApplyConfiguration): Plain {
  if (value === null) return {};
  if (isObject(value)) return value;
  const text = `json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`;
  throw badRequest(`error decoding patch: error unmarshaling JSON: while decoding JSON: ${text}`);
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function reportDuplicates(request: ApiRequest, duplicates: readonly string[], { fieldValidation }: PatchOptions): void {
  if (duplicates.length === 0 || fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Strict') {
    throw badRequest(`error strict decoding patch: error converting YAML to JSON: ${duplicatesFinding(duplicates)}`);
  }
  for (const duplicate of duplicates) request.warn(duplicate);
}

function uidMismatch({ definition }: RequestScope, { info }: ApiRequest, uid: string): Error {
  return conflict(definition, info.name, `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`);
}
