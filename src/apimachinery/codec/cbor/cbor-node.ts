import type { DecodeError } from '../../errors/decode-error.js';

/** An integer of major type 0 or 1. */
export interface CborInteger {
  readonly kind: 'positive integer' | 'negative integer';
  readonly value: bigint;
}

/** A text or byte string; the profile accepts either as a string. */
export interface CborString {
  readonly kind: 'byte string' | 'UTF-8 text string';
  readonly value: string;
}

interface CborArray {
  readonly kind: 'array';
  readonly items: readonly CborNode[];
}

/** A map with its entries in order, duplicates included. */
export interface CborMap {
  readonly kind: 'map';
  readonly entries: readonly (readonly [CborNode, CborNode])[];
}

interface CborPrimitive {
  readonly kind: 'primitives';
  readonly value: boolean | number | null;
}

/** A well-formed item that cannot be decoded: the error is thrown only if its value is used. */
export interface CborRefusal {
  readonly kind: 'refused';
  readonly error: DecodeError;
}

/** A data item without its tags. */
export type CborNode = CborInteger | CborString | CborArray | CborMap | CborPrimitive | CborRefusal;

/** Throws the error of a refused item, as `isNull` does; one of the two is called first for every value and key. */
export function isString(node: CborNode): node is CborString {
  if (node.kind === 'refused') throw node.error;
  return node.kind === 'byte string' || node.kind === 'UTF-8 text string';
}

/** Whether a node is null or undefined, which Go decodes alike. Throws the error of a refused item. */
export function isNull(node: CborNode): boolean {
  if (node.kind === 'refused') throw node.error;
  return node.kind === 'primitives' && node.value === null;
}
