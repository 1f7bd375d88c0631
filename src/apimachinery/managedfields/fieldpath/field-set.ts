import { type FieldPath, type PathElement, FieldsV1Error, parsePathElement, sortPathElements } from './path-element.js';

/**
 * A set of paths, as a tree: `members` are the elements at which a path of the set ends, `children` those through which paths lead
 * (structured-merge-diff fieldpath/set.go). An element can be both. Children are never empty sets. After it has been built with `insert`, a
 * set is immutable: operations return new sets and share subtrees.
 */
export class FieldSet {
  readonly members = new Set<PathElement>();
  readonly children = new Map<PathElement, FieldSet>();

  /** The set of these paths; empty paths are ignored. */
  static of(paths: Iterable<FieldPath>): FieldSet {
    const set = new FieldSet();
    for (const path of paths) set.insert(path);
    return set;
  }

  /** The empty path, the whole object, is never owned and is ignored. */
  insert(path: FieldPath): void {
    if (path.length === 0) return;
    this.#insertFrom(path, 0);
  }

  #insertFrom(path: FieldPath, at: number): void {
    const element = path[at] as PathElement;
    if (at === path.length - 1) this.members.add(element);
    else this.#descend(element).#insertFrom(path, at + 1);
  }

  #descend(element: PathElement): FieldSet {
    let child = this.children.get(element);
    if (child === undefined) this.children.set(element, (child = new FieldSet()));
    return child;
  }

  /** Whether this very path is in the set; paths below it do not count. */
  has([element, ...rest]: FieldPath): boolean {
    if (element === undefined) return false;
    return rest.length === 0 ? this.members.has(element) : (this.children.get(element)?.has(rest) ?? false);
  }

  get isEmpty(): boolean {
    return this.members.size === 0 && this.children.size === 0;
  }

  /** The paths in either set. */
  union(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    if (this.isEmpty) return other;
    const result = new FieldSet();
    for (const element of this.members) result.members.add(element);
    for (const element of other.members) result.members.add(element);
    for (const [element, child] of this.children) result.children.set(element, child);
    for (const [element, child] of other.children) {
      const mine = result.children.get(element);
      result.children.set(element, mine === undefined ? child : mine.union(child));
    }
    return result;
  }

  /** The paths in both sets. */
  intersection(other: FieldSet): FieldSet {
    const result = new FieldSet();
    for (const element of this.members) if (other.members.has(element)) result.members.add(element);
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      if (theirs !== undefined) result.#adopt(element, child.intersection(theirs));
    }
    return result;
  }

  /** Removes path by path: removing a parent leaves its children in the set, and vice versa. */
  difference(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    const result = new FieldSet();
    for (const element of this.members) if (!other.members.has(element)) result.members.add(element);
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      result.#adopt(element, theirs === undefined ? child : child.difference(theirs));
    }
    return result;
  }

  /** The set without these elements and everything below them. */
  without(elements: readonly PathElement[]): FieldSet {
    if (elements.length === 0) return this;
    const result = new FieldSet();
    for (const element of this.members) if (!elements.includes(element)) result.members.add(element);
    for (const [element, child] of this.children) if (!elements.includes(element)) result.children.set(element, child);
    return result;
  }

  #adopt(element: PathElement, child: FieldSet): void {
    if (!child.isEmpty) this.children.set(element, child);
  }

  /** Whether both sets contain the same paths. */
  equals(other: FieldSet): boolean {
    if (this.members.size !== other.members.size || this.children.size !== other.children.size) return false;
    for (const element of this.members) if (!other.members.has(element)) return false;
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      if (theirs === undefined || !child.equals(theirs)) return false;
    }
    return true;
  }

  /** All paths in order; the members of a node precede its children. */
  *paths(prefix: FieldPath = []): Generator<FieldPath> {
    for (const element of sortPathElements(this.members)) yield [...prefix, element];
    for (const element of sortPathElements(this.children.keys())) yield* this.#childPaths(prefix, element);
  }

  #childPaths(prefix: FieldPath, element: PathElement): Generator<FieldPath> {
    return (this.children.get(element) ?? new FieldSet()).paths([...prefix, element]);
  }
}

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
