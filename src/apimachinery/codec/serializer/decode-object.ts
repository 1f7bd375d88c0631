import { type ApiError, isDecodeError } from '../../errors/api-error.js';
import { badRequest } from '../../errors/status-errors.js';
import { quote } from '../../go/go-string.js';
import type { DeleteOptionsBody } from '../../meta/delete-options.schema.js';
import type { KubeObject } from '../../meta/object-meta.schema.js';
import { groupVersion } from '../../schema/group-resource.js';
import {
  type DecodedObject,
  type ExpectedObject,
  type FieldValidation,
  type GroupVersionKind,
  SCHEME_NAME,
  internalTypeName,
  withDefaults,
} from './serializer.js';

/** The decoder of a body in one media type: first its kind, then, if that is the expected one, its content. */
export interface BodyDecoder {
  /** The kind, group and version in the body. Throws a decode error. */
  sniff(): GroupVersionKind;
  /** The object in canonical form, and the findings of strict decoding. Throws a decode error. */
  decode(strict: boolean): { object: Record<string, unknown>; strictErrors: readonly string[] };
}

const NONE: readonly string[] = [];

/**
 * Decodes a request body to the object that the endpoint expects, or throws upstream's 400 (apiserver
 * pkg/endpoints/handlers/{create,update,rest}.go). `strictWarning` converts a strict finding to texts of Warnings.
 */
export function decodeObject(
  body: Buffer,
  decoder: BodyDecoder,
  expected: ExpectedObject,
  validation: FieldValidation,
  warningsOf: (finding: string) => readonly string[] = (finding) => [finding],
): DecodedObject {
  const actual = withDefaults(
    attempt(
      () => decoder.sniff(),
      (text) => unrecognized(text, expected, body),
    ),
    expected,
  );
  checkKind(actual, expected, body);
  const cannot = (text: string) => cannotBeHandled(actual, expected, text);
  const { object, strictErrors } = attempt(() => decoder.decode(validation !== 'Ignore'), cannot);
  if (validation === 'Strict' && strictErrors.length > 0) throw cannot(`strict decoding error: ${strictErrors.join(', ')}`);
  return { object: withKind(object, expected), warnings: validation === 'Warn' ? strictErrors.flatMap(warningsOf) : NONE };
}

/** Sets the kind and apiVersion of the endpoint, which the body repeats or omits. */
export function withKind(object: Record<string, unknown>, expected: ExpectedObject): KubeObject {
  object.kind = expected.kind;
  object.apiVersion = groupVersion(expected.group, expected.version);
  return object as unknown as KubeObject;
}

function attempt<T>(work: () => T, failure: (text: string) => ApiError): T {
  try {
    return work();
  } catch (error) {
    if (isDecodeError(error)) throw failure(error.message);
    throw error;
  }
}

function checkKind(actual: GroupVersionKind, expected: ExpectedObject, body: Buffer): void {
  const { group, version, kind } = actual;
  if (group === expected.group && version === expected.version && kind === expected.kind) return;
  if (version === '') throw cannotBeHandled(actual, expected, `Object 'apiVersion' is missing in '${body.toString('utf8')}'`);
  const sent = groupVersion(group, version);
  if (!expected.kinds.isRegistered(group, version, kind)) {
    throw cannotBeHandled(
      actual,
      expected,
      `no kind ${quote(kind)} is registered for version ${quote(sent)} in scheme ${quote(SCHEME_NAME)}`,
    );
  }
  if (group === expected.group && kind === expected.kind) {
    const wanted = groupVersion(expected.group, expected.version);
    throw badRequest(`the API version in the data (${sent}) does not match the expected API version (${wanted})`);
  }
  const internal = internalTypeName(expected.hubGroup ?? expected.group, expected.kind);
  throw cannotBeHandled(actual, expected, `converting (${version}.${kind}) to (${internal}): unknown conversion`);
}

function cannotBeHandled(actual: GroupVersionKind, expected: ExpectedObject, text: string): ApiError {
  return badRequest(`${actual.kind} in version ${quote(actual.version)} cannot be handled as a ${expected.kind}: ${text}`);
}

function unrecognized(text: string, expected: ExpectedObject, body: Buffer): ApiError {
  return badRequest(`the object provided is unrecognized (must be of type ${expected.kind}): ${text} (${summary(body)})`);
}

const SUMMARY_BYTES = 30;

/** The beginning of a body: unchanged if it may be JSON, otherwise in hexadecimal. */
function summary(body: Buffer): string {
  if (body.length === 0) return '<empty>';
  const text = body.subarray(0, SUMMARY_BYTES).toString(body[0] === 0x7b ? 'utf8' : 'hex');
  return body.length > SUMMARY_BYTES ? `${text} ...` : text;
}

/**
 * Decodes the body of a DELETE: DeleteOptions of any group and version (apiserver pkg/endpoints/handlers/delete.go). Its errors lack the
 * wrapping text that errors of objects have.
 */
export function decodeDeleteOptions(decoder: BodyDecoder): DeleteOptionsBody {
  try {
    const { group, version, kind } = decoder.sniff();
    if (kind !== '' && kind !== 'DeleteOptions') {
      const sent = version === '' ? 'meta.k8s.io/v1' : groupVersion(group, version);
      throw badRequest(`no kind "${kind}" is registered for version "${sent}" in scheme "${SCHEME_NAME}"`);
    }
    return decoder.decode(false).object;
  } catch (error) {
    if (isDecodeError(error)) throw badRequest(error.message);
    throw error;
  }
}
