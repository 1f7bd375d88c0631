import { compileDecoder } from '../codec/json/json-decoder.js';
import { compileEncoder } from '../codec/json/json-encoder.js';
import { JsonReader } from '../codec/json/json-reader.js';
import { sniffKind } from '../codec/json/json-serializer.js';
import { hasTooManyValues, tooManyValues } from '../codec/limits/body-limits.js';
import { withKind } from '../codec/serializer/decode-object.js';
import {
  type DecodedObject,
  type ExpectedObject,
  type FieldValidation,
  SCHEME_NAME,
  internalTypeName,
} from '../codec/serializer/serializer.js';
import { DecodeError, isDecodeError } from '../errors/api-error.js';
import { badRequest } from '../errors/status-errors.js';
import { quote } from '../go/go-string.js';
import type { KubeObject } from '../meta/object-meta.schema.js';
import { canonicalize } from '../schema/canonical-object.js';
import { groupVersion } from '../schema/group-resource.js';
import type { StructType } from '../schema/struct-type.js';
import { type GoMap, type GoValue, fromUnstructured, parseGoValue, showGoValue } from './go-value.js';
import { decodeJsonPatch } from './json-patch-document.js';
import { applyJsonPatch } from './json-patch.js';
import { applyMergePatch, decodeMergePatch } from './merge-patch.js';
import { StrictFindings, patchResultInvalid } from './patch-errors.js';
import { applyStrategicMergePatch } from './strategic-merge-patch.js';

/** The types of patches that depend only on the patch and the object, which excludes apply. */
export type PatchType = 'json' | 'merge' | 'strategic';

/** A patch request: the document and its target. */
export interface Patch extends PatchTarget {
  readonly type: PatchType;
  /** JSON (`patchText`). */
  readonly text: string;
}

/**
 * Applies a patch to an object and returns the result; both are in the expected version. `live` has kind, apiVersion and resourceVersion,
 * and is not changed. Throws upstream's errors (apiserver pkg/endpoints/handlers/patch.go): 400 and 413 for the patch, 422 if it does not
 * apply or its result does not match the type. The caller checks the existence of the object beforehand, and the name, namespace and values
 * of the result.
 */
export function applyPatch(patch: Patch, live: KubeObject): DecodedObject {
  const { expected, validation } = patch;
  const document = compileEncoder(expected.schema)(live);
  const strict = validation !== 'Ignore';
  switch (patch.type) {
    case 'json': {
      const { operations, findings } = decodeJsonPatch(patch.text, strict);
      return decodePatched(applyJsonPatch(document, operations), findings, patch);
    }
    case 'merge': {
      const { text, findings } = decodeMergePatch(patch.text, strict);
      return decodePatched(applyMergePatch(document, text), findings, patch);
    }
    case 'strategic':
      return applyStrategic(document, patch);
  }
}

function applyStrategic(document: string, patch: Patch): DecodedObject {
  const { schema } = patch.expected;
  const { changes, findings } = decodeStrategicPatch(patch.text);
  const merged = applyStrategicMergePatch(parseGoValue(document) as GoMap, changes, schema);
  const { object, unknown } = restore(merged, changes, patch);
  const warnings = checkFindings([...findings, ...unknown], showGoValue(changes), patch);
  return { object: withKind(canonicalize(schema, object), patch.expected), warnings };
}

function decodeStrategicPatch(text: string): { changes: GoMap; findings: readonly string[] } {
  try {
    const changes = parseGoValue(text) ?? new Map<string, GoValue>();
    if (!(changes instanceof Map)) {
      throw new DecodeError(`json: cannot unmarshal ${new JsonReader(text).kind()} into Go value of type map[string]interface {}`);
    }
    const findings = new StrictFindings();
    findings.addDuplicates(new JsonReader(text), '');
    return { changes, findings: findings.texts };
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message);
    throw error;
  }
}

function restore(merged: GoMap, changes: GoMap, { expected }: Patch): { object: Record<string, unknown>; unknown: readonly string[] } {
  try {
    const { object, findings } = fromUnstructured(merged, expected.schema);
    return { object, unknown: findings };
  } catch (error) {
    if (isDecodeError(error)) throw patchResultInvalid(showGoValue(changes), error.message);
    throw error;
  }
}

/** The parameters for decoding a patched document. */
interface PatchTarget {
  readonly expected: ExpectedObject;
  readonly validation: FieldValidation;
}

const NONE: readonly string[] = [];

/** Decodes the result of a JSON or merge patch; `findings` are those in the patch itself. Throws the 422. */
function decodePatched(document: string, findings: readonly string[], target: PatchTarget): DecodedObject {
  try {
    const { expected } = target;
    const schema = schemaOf(document, expected);
    const strict = target.validation !== 'Ignore';
    const { object, strictErrors } = compileDecoder(schema)(document, { strict });
    if (schema !== expected.schema) object.metadata = {};
    return { object: withKind(object, expected), warnings: checkFindings([...findings, ...strictErrors], document, target) };
  } catch (error) {
    if (isDecodeError(error)) throw patchResultInvalid(document, error.message);
    throw error;
  }
}

/**
 * Returns the findings as warnings, or throws a 422 with fieldValidation=Strict. `shown` is the part of the patch that the error quotes.
 */
function checkFindings(findings: readonly string[], shown: string, { validation }: PatchTarget): readonly string[] {
  if (validation === 'Ignore' || findings.length === 0) return NONE;
  if (validation === 'Strict') throw patchResultInvalid(shown, `strict decoding error: ${findings.join(', ')}`);
  return findings;
}

/**
 * The type for the document's kind and apiVersion. A missing kind is the expected one; without apiVersion, upstream decodes into its
 * internal type, which knows no wire field (apiserver pkg/endpoints/handlers/patch.go, DecodeInto).
 */
function schemaOf(document: string, expected: ExpectedObject): StructType {
  const bytes = Buffer.from(document);
  if (hasTooManyValues(bytes)) throw tooManyValues();
  const { group, version, kind } = sniffKind(document, bytes);
  const sent = kind === '' ? expected.kind : kind;
  if (version === '' && (group === '' || group === expected.group)) return internalSchema(sent, expected);
  if (!expected.kinds.isRegistered(group, version, sent)) {
    const known = quote(groupVersion(group, version));
    throw new DecodeError(`no kind ${quote(sent)} is registered for version ${known} in scheme ${quote(SCHEME_NAME)}`);
  }
  if (group === expected.group && sent === expected.kind) return expected.schema;
  throw unknownConversion(`${version}.${sent}`, expected);
}

/** The fields that upstream's internal type has on the wire. */
function internalSchema(kind: string, expected: ExpectedObject): StructType {
  if (kind === expected.kind) return withoutFields(expected.schema);
  const group = expected.hubGroup ?? expected.group;
  if (expected.kinds.isInternal(group, kind)) throw unknownConversion(internalTypeName(group, kind), expected);
  throw new DecodeError(
    `no kind ${quote(kind)} is registered for the internal version of group ${quote(group)} in scheme ${quote(SCHEME_NAME)}`,
  );
}

function unknownConversion(from: string, { hubGroup, group, kind }: ExpectedObject): DecodeError {
  return new DecodeError(`converting (${from}) to (${internalTypeName(hubGroup ?? group, kind)}): unknown conversion`);
}

const bareSchemas = new WeakMap<StructType, StructType>();

function withoutFields(schema: StructType): StructType {
  let bare = bareSchemas.get(schema);
  if (!bare) {
    bare = { ...schema, fields: schema.fields.filter(({ name }) => name === 'kind' || name === 'apiVersion') };
    bareSchemas.set(schema, bare);
  }
  return bare;
}
