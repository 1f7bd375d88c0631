import { cborToPlainMap } from '../../apimachinery/codec/cbor/cbor-decoder.js';
import { isDecodeError } from '../../apimachinery/errors/api-error.js';
import { duplicatesFinding, yamlToJson } from '../../apimachinery/codec/yaml/yaml-to-json.js';
import { badRequest, conflict } from '../../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { PatchOptions } from '../../apimachinery/options/write-options.js';
import { timestamp } from '../../registry/objects/object-values.js';
import type { UpdateSource } from '../../registry/resource/resource-store.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../scope/request-scope.js';
import { allowCreate } from './allow-create.js';
import { isObject } from '../../apimachinery/schema/is-object.js';

/** The encoding of an apply configuration. */
export type ApplyEncoding = 'yaml' | 'cbor';

/** A brace after what is space to Go (unicode.IsSpace). */
const OBJECT_BEGINS = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*\{/;

type Plain = Record<string, unknown>;

/** A decoded apply configuration. */
export interface ApplyConfiguration {
  /** An object, unless the client is mistaken. */
  readonly value: unknown;
  /** Duplicate keys: `line 4: key "x" already set in map`. */
  readonly duplicates: readonly string[];
}

/** Server-side apply as the next state of an object (apiserver handlers/patch.go applyPatcher). */
export function applySource(
  scope: RequestScope,
  request: ApiRequest,
  configuration: ApplyConfiguration,
  options: PatchOptions,
): UpdateSource {
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
export function decodeApplyConfiguration(body: Buffer, encoding: ApplyEncoding): ApplyConfiguration {
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
