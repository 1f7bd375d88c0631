import type { FieldSet } from './field-set.js';
import { FieldSet as Sets } from './field-set.js';
import type { MergeType } from './merge-type.js';
import type { PathElement } from './path-element.js';

/**
 * Fits an old or client-made set to today's schema: whoever owns something inside of a value that is atomic owns the value
 * (structured-merge-diff typed/reconcile_schema.go). Answers its argument where nothing changes.
 */
export function reconcileWithSchema(set: FieldSet, type: MergeType): FieldSet {
  let result = set;
  for (const [element, child] of set.children) {
    const childType = typeOfElement(type, element);
    if (childType === undefined) continue;
    const atomic = isAtomic(childType);
    const reconciled = atomic ? undefined : reconcileWithSchema(child, childType);
    if (reconciled === child) continue;
    if (result === set) result = copyOf(set);
    if (reconciled !== undefined) {
      result.children.set(element, reconciled);
    } else {
      result.children.delete(element);
      result.members.add(element);
    }
  }
  return result;
}

/** The type that a step of a path leads to; undefined where the schema knows none. */
export function typeOfElement(type: MergeType, element: PathElement): MergeType | undefined {
  switch (type.kind) {
    case 'struct':
      return type.byElement.get(element)?.type;
    case 'map':
      return type.values;
    case 'list':
      return type.items;
    case 'leaf':
      return undefined;
  }
}

function isAtomic(type: MergeType): boolean {
  return (type.kind === 'struct' && type.atomic) || (type.kind === 'list' && type.semantics === 'atomic');
}

function copyOf(set: FieldSet): FieldSet {
  const copy = new Sets();
  for (const element of set.members) copy.members.add(element);
  for (const [element, child] of set.children) copy.children.set(element, child);
  return copy;
}
