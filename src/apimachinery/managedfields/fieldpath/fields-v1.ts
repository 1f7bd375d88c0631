import { FieldSet } from './field-set.js';
import { FieldsV1Error, parsePathElement, sortPathElements } from './path-element.js';

/** The parsed JSON of metav1.FieldsV1: nested objects, with `.` for an element that is owned in addition to its children. */
export type FieldsV1 = Record<string, unknown>;

/** No object is nested this deeply; the limit prevents clients from exhausting the stack. */
const MAX_DEPTH = 128;

/** Parses FieldsV1; throws FieldsV1Error. Absent means the empty set; unknown types of elements are dropped. */
export function parseFieldsV1(fields: unknown): FieldSet {
  return parseNode(fields ?? {}, MAX_DEPTH).children ?? new FieldSet();
}

/** Serializes a set with its keys in canonical order (structured-merge-diff fieldpath/serialize.go): equal sets have equal texts. */
export function serializeFieldSet(set: FieldSet, includeSelf = false): FieldsV1 {
  const out: FieldsV1 = {};
  if (includeSelf && !set.isEmpty) out['.'] = {};
  for (const element of sortPathElements(new Set([...set.members, ...set.children.keys()]))) {
    const child = set.children.get(element);
    out[element] = child === undefined ? {} : serializeFieldSet(child, set.members.has(element));
  }
  return out;
}

interface ParsedNode {
  readonly children?: FieldSet;
  readonly isMember: boolean;
}

function parseNode(value: unknown, depth: number): ParsedNode {
  if (value === null) return { isMember: true };
  if (depth === 0) throw new FieldsV1Error(`deeper than ${MAX_DEPTH} levels`);
  if (typeof value !== 'object' || Array.isArray(value)) throw new FieldsV1Error('expected an object');
  const set = new FieldSet();
  let isMember = false;
  for (const [key, inner] of Object.entries(value)) {
    if (key === '.') {
      isMember = true;
      continue;
    }
    const element = parsePathElement(key);
    if (element === undefined) continue;
    const node = parseNode(inner, depth - 1);
    if (node.isMember) set.members.add(element);
    if (node.children !== undefined) set.children.set(element, node.children);
  }
  return set.isEmpty ? { isMember: true } : { children: set, isMember };
}
