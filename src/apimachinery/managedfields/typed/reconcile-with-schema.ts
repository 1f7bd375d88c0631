import { FieldSet } from '../fieldpath/field-set.js';
import { type MergeType, isAtomic, typeOfElement } from './merge-type.js';

/**
 * Adapts an old or client-made set to the current schema: the owner of something inside an atomic value owns the whole value
 * (structured-merge-diff typed/reconcile_schema.go). Returns its argument if nothing changes.
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

function copyOf(set: FieldSet): FieldSet {
  const copy = new FieldSet();
  for (const element of set.members) copy.members.add(element);
  for (const [element, child] of set.children) copy.children.set(element, child);
  return copy;
}
