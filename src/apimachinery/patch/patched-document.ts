import { DecodeError, isDecodeError } from '../errors/decode-error.js';
import { hasTooManyValues, tooManyValues } from '../codec/limits/body-limits.js';
import { compileDecoder } from '../codec/json/json-decoder.js';
import { sniffKind } from '../codec/json/sniff-kind.js';
import { internalTypeName } from '../codec/serializer/group-version-kind.js';
import { SCHEME_NAME } from '../codec/serializer/kind-registry.js';
import { withKind } from '../codec/serializer/decode-object.js';
import type { DecodedObject, ExpectedObject, FieldValidation } from '../codec/serializer/serializer.js';
import { quote } from '../go/quote.js';
import { groupVersion } from '../schema/group-resource.js';
import type { StructType } from '../schema/struct-type.js';
import { patchResultInvalid } from './patch-errors.js';

/** The parameters for decoding a patched document. */
export interface PatchTarget {
  readonly expected: ExpectedObject;
  readonly validation: FieldValidation;
}

const NONE: readonly string[] = [];

/** Decodes the result of a JSON or merge patch; `findings` are those in the patch itself. Throws the 422. */
export function decodePatched(document: string, findings: readonly string[], target: PatchTarget): DecodedObject {
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
export function checkFindings(findings: readonly string[], shown: string, { validation }: PatchTarget): readonly string[] {
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
