import { DecodeError } from '../../errors/decode-error.js';
import { type GroupVersionKind, parseGroupVersion } from '../serializer/group-version-kind.js';
import { JsonReader } from './json-reader.js';
import { syntaxError } from './json-syntax.js';

const FIND_KIND = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const FIELDS: readonly (readonly [RegExp, 'kind' | 'apiVersion'])[] = [
  [/^kind$/iu, 'kind'],
  [/^apiversion$/iu, 'apiVersion'],
];

/**
 * Reads kind and apiVersion from JSON text before it is decoded. Names match in any case, and the last one wins (apimachinery
 * pkg/runtime/serializer/json/meta.go). Throws DecodeError.
 */
export function sniffKind(text: string, bytes: Uint8Array): GroupVersionKind {
  const problem = syntaxError(bytes) ?? findKind(text);
  if (typeof problem === 'string') throw new DecodeError(`couldn't get version/kind; json parse error: ${problem}`);
  const { group, version } = parseGroupVersion(problem.apiVersion);
  return { group, version, kind: problem.kind };
}

/** The two fields, or an error text. */
function findKind(text: string): { kind: string; apiVersion: string } | string {
  const reader = new JsonReader(text);
  const found = { kind: '', apiVersion: '' };
  if (reader.isNull()) return found;
  if (reader.kind() !== 'object') return `json: cannot unmarshal ${reader.kind()} into Go value of type ${FIND_KIND}`;
  let problem: string | undefined;
  reader.eachMember((key) => {
    const field = FIELDS.find(([pattern]) => pattern.test(key))?.[1];
    const kind = reader.kind();
    if (field !== undefined && kind === 'string') {
      found[field] = reader.string();
      return;
    }
    if (field !== undefined && kind !== 'null') problem ??= `json: cannot unmarshal ${kind} into Go struct field .${field} of type string`;
    reader.skip();
  });
  return problem ?? found;
}
