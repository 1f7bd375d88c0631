import { equalValues } from '../fieldpath/compare-values.js';
import type { StructMergeType } from './merge-type.js';
import type { FieldPath, PathElement } from '../fieldpath/path-element.js';

type Plain = Readonly<Record<string, unknown>>;

/**
 * The changed paths, if the only changes are to values of scalar fields that exist before and after; undefined for any other change, which
 * `compare` has to examine. Needs no structured views and allocates only the result.
 */
export function modifiedScalars(type: StructMergeType, left: Plain, right: Plain): FieldPath[] | undefined {
  const found: FieldPath[] = [];
  return collect(type, left, right, NO_PATH, found) ? found : undefined;
}

const NO_PATH: readonly PathElement[] = [];

function collect(type: StructMergeType, left: Plain, right: Plain, path: FieldPath, found: FieldPath[]): boolean {
  for (const field of type.fields) {
    const before = left[field.name];
    const after = right[field.name];
    if (before === after) continue;
    if (field.type.kind === 'leaf') {
      if (!isValue(before, field.omitsZero) || !isValue(after, field.omitsZero)) return false;
      found.push([...path, field.element]);
    } else if (field.type.kind === 'struct' && !field.type.atomic && isObject(before) && isObject(after)) {
      if (!collect(field.type, before, after, [...path, field.element], found)) return false;
    } else if (!equalValues(before, after)) {
      return false;
    }
  }
  return true;
}

/** Whether a scalar counts as present. */
function isValue(value: unknown, omitsZero: boolean): boolean {
  if (typeof value === 'string' || typeof value === 'number') return !omitsZero || (value !== '' && value !== 0);
  return typeof value === 'boolean' && (value || !omitsZero);
}

function isObject(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null;
}
