import { JsonReader } from '../codec/json/json-reader.js';
import { badRequest } from '../errors/status-errors.js';
import { type Lazy, LazyJson, oversizedNumber } from './json-patch-document.js';
import { StrictFindings } from './patch-errors.js';

/** A parsed JSON merge patch (RFC 7386). */
export interface MergePatchDocument {
  /** JSON text of an object or, in lenient mode, of an array. */
  readonly text: string;
  readonly findings: readonly string[];
}

/**
 * Decodes a JSON merge patch; throws the 400. In strict mode, it must be an object, and its duplicate keys are reported; otherwise it may
 * be an array, which replaces the whole document (and then is not an object).
 */
export function decodeMergePatch(body: string, strict: boolean): MergePatchDocument {
  const findings = new StrictFindings();
  const text = body.trim();
  const { [0]: first } = text;
  if (strict && first !== '{' && first !== 'n') throw notAnObject(new JsonReader(text));
  if (first !== '{' && first !== '[') throw invalidPatch();
  if (strict) {
    findings.addDuplicates(new JsonReader(text), '');
    const number = oversizedNumber(text);
    if (number !== undefined) {
      throw badRequest(`error decoding patch: json: cannot unmarshal number ${number} into Go value of type float64`);
    }
  }
  return { text, findings: findings.texts };
}

function notAnObject(reader: JsonReader): Error {
  return badRequest(`error decoding patch: json: cannot unmarshal ${reader.kind()} into Go value of type map[string]interface {}`);
}

const invalidPatch = () => badRequest('Invalid JSON Patch');

/** Applies a JSON merge patch (RFC 7386) to the JSON of an object; both texts must be valid. Returns the JSON of the result. */
export function applyMergePatch(document: string, patch: string): string {
  const target = LazyJson.of(document);
  const source = LazyJson.of(patch);
  if (source === null) return 'null';
  return mergeJson(target, source).toString();
}

function mergeJson(target: Lazy, patch: LazyJson): LazyJson {
  if (!target?.members) return pruneNulls(patch);
  if (!patch.members) return patch;
  for (const [key, value] of patch.members) {
    if (value === null) target.members.delete(key);
    else target.members.set(key, mergeJson(target.members.get(key) ?? null, value));
  }
  return target;
}

/** Removes null members from a value that is new in the document; nulls in arrays stay. */
function pruneNulls(value: LazyJson): LazyJson {
  const { members, items } = value;
  if (members) {
    for (const [key, member] of members) {
      if (member === null) members.delete(key);
      else pruneNulls(member);
    }
  }
  if (items) for (const item of items) if (item !== null) pruneNulls(item);
  return value;
}
