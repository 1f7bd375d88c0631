import { canonicalize } from '../schema/canonical-object.js';
import { DecodeError, isDecodeError } from '../errors/decode-error.js';
import { compileEncoder } from '../codec/json/json-encoder.js';
import { JsonReader } from '../codec/json/json-reader.js';
import { withKind } from '../codec/serializer/decode-object.js';
import type { DecodedObject } from '../codec/serializer/serializer.js';
import { badRequest } from '../errors/status-errors.js';
import type { KubeObject } from '../meta/kube-object.js';
import { fromUnstructured } from './from-unstructured.js';
import { type GoMap, type GoValue, parseGoValue, showGoValue } from './go-value.js';
import { decodeJsonPatch } from './json-patch-document.js';
import { applyJsonPatch } from './json-patch.js';
import { applyMergePatch, decodeMergePatch } from './merge-patch.js';
import { patchResultInvalid } from './patch-errors.js';
import { type PatchTarget, checkFindings, decodePatched } from './patched-document.js';
import { applyStrategicMergePatch } from './strategic-merge-patch.js';
import { StrictFindings } from './strict-findings.js';

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
