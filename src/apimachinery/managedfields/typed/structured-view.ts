import { equalValues } from '../fieldpath/compare-values.js';
import type { ListMergeType, MergeType, StructMergeType } from './merge-type.js';

type Plain = Record<string, unknown>;

/**
 * The value as the merge library sees a Go struct: fields that are always present have their zero value, and zero values of omitempty
 * fields are absent. Returns its argument if there is no difference, as for every decoded object, and never changes it. Not used for
 * applied configurations, which are taken as the client wrote them.
 */
export function structuredView(type: StructMergeType, value: Plain): Plain {
  let view = value;
  for (const field of type.fields) {
    const given = value[field.name];
    const shown = fieldView(field.type, given);
    const kept = shown === undefined || (field.omitsZero && isZero(shown)) ? field.zero : shown;
    if (kept === given) continue;
    if (view === value) view = { ...value };
    if (kept === undefined) delete view[field.name];
    else view[field.name] = kept;
  }
  return view;
}

function fieldView(type: MergeType, value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  if (type.kind === 'struct') return structuredView(type, value as Plain);
  return type.kind === 'list' && type.items.kind === 'struct' ? listView(type, value as unknown[]) : value;
}

function listView(type: ListMergeType, items: unknown[]): unknown[] {
  const views = items.map((item) => fieldView(type.items, item));
  return views.every((view, at) => view === items[at]) ? items : views;
}

function isZero(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === '' || value === 0 || value === false || value === null;
  return Array.isArray(value) ? value.length === 0 : equalValues(value, {});
}
