import { cborToPlainMap } from '../../apimachinery/codec/cbor/cbor-to-plain.js';
import { isDecodeError } from '../../apimachinery/errors/decode-error.js';
import { duplicatesFinding, yamlToJson } from '../../apimachinery/codec/yaml/yaml-to-json.js';
import { badRequest, conflict } from '../../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../../apimachinery/meta/kube-object.js';
import type { PatchOptions } from '../../apimachinery/options/write-options.js';
import { timestamp } from '../../registry/objects/timestamp.js';
import type { UpdateSource } from '../../registry/resource/resource-store.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../scope/request-scope.js';

/** The encoding of an apply configuration. */
export type ApplyEncoding = 'yaml' | 'cbor';

type Plain = Record<string, unknown>;

/** A decoded apply configuration. */
interface Configuration {
  readonly object: Plain;
  /** Duplicate keys: `line 4: key "x" already set in map`. */
  readonly duplicates: readonly string[];
}

/** Server-side apply as the next state of an object (apiserver handlers/patch.go applyPatcher). */
export function applySource(
  scope: RequestScope,
  request: ApiRequest,
  encoding: ApplyEncoding,
  body: Buffer,
  options: PatchOptions,
): UpdateSource {
  let configuration: Configuration | undefined;
  const next = (live: KubeObject | undefined): KubeObject => {
    configuration ??= decodeConfiguration(body, encoding);
    const applied = scope.fieldManager.apply(live, configuration.object, {
      manager: options.fieldManager,
      apiVersion: scope.apiVersion,
      now: timestamp(scope.services.now()),
      force: options.force,
    });
    reportDuplicates(request, configuration.duplicates, options);
    if (!live && applied.metadata.uid) throw uidMismatch(scope, request, applied.metadata.uid);
    return applied;
  };
  return { next, mayCreate: true, tracksFields: 'own', retries: true };
}

/** Decodes YAML, of which JSON is a subset, or CBOR. Throws the 400 in the words of sigs.k8s.io/yaml, whatever the encoding is. */
function decodeConfiguration(body: Buffer, encoding: ApplyEncoding): Configuration {
  try {
    if (encoding === 'cbor') return { object: cborToPlainMap(body), duplicates: [] };
    const { value, duplicates } = decodeYaml(body);
    if (value === null) return { object: {}, duplicates };
    if (isPlain(value)) return { object: value, duplicates };
    const text = `json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`;
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${text}`);
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    throw badRequest(`error decoding YAML: ${encoding === 'yaml' ? 'error converting YAML to JSON: ' : ''}${error.message}`);
  }
}

function decodeYaml(body: Buffer): { value: unknown; duplicates: readonly string[] } {
  const { json, duplicates } = yamlToJson(body);
  return { value: JSON.parse(json) as unknown, duplicates };
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function reportDuplicates(request: ApiRequest, duplicates: readonly string[], { fieldValidation }: PatchOptions): void {
  if (duplicates.length === 0 || fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Strict') {
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${duplicatesFinding(duplicates)}`);
  }
  for (const duplicate of duplicates) request.warn(duplicate);
}

function uidMismatch({ definition }: RequestScope, { info }: ApiRequest, uid: string): Error {
  return conflict(definition, info.name, `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`);
}
