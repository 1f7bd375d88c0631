import type { DecodeError } from '../decode-error.js';

/** Kinds of data items, as upstream's error texts name them. Null, booleans and floats are primitives. */
export type CborKind = 'positive integer' | 'negative integer' | 'byte string' | 'UTF-8 text string' | 'array' | 'map' | 'primitives';

export interface CborInteger {
  readonly kind: 'positive integer' | 'negative integer';
  readonly value: bigint;
}

/** Text that came as a byte string or as a text string; the profile takes either for a string. */
export interface CborString {
  readonly kind: 'byte string' | 'UTF-8 text string';
  readonly value: string;
}

export interface CborArray {
  readonly kind: 'array';
  readonly items: readonly CborNode[];
}

export interface CborMap {
  readonly kind: 'map';
  readonly entries: readonly (readonly [CborNode, CborNode])[];
}

export interface CborPrimitive {
  readonly kind: 'primitives';
  readonly value: boolean | number | null;
}

/** An item that is well-formed, and an error for whoever looks at it: what nobody looks at is not refused. */
export interface CborRefusal {
  readonly kind: 'refused';
  readonly error: DecodeError;
}

/** A data item without its tags. */
export type CborNode = CborInteger | CborString | CborArray | CborMap | CborPrimitive | CborRefusal;

/** Throws the error of a refused item, as `isNull` does: every value and key is asked one of the two first. */
export function isString(node: CborNode): node is CborString {
  if (node.kind === 'refused') throw node.error;
  return node.kind === 'byte string' || node.kind === 'UTF-8 text string';
}

export function isNull(node: CborNode): boolean {
  if (node.kind === 'refused') throw node.error;
  return node.kind === 'primitives' && node.value === null;
}
