import { FieldSet } from './field-set.js';
import type { MergeType } from './merge-type.js';
import { typeOfElement } from './merge-type.js';

/**
 * The set with every struct field that its paths go through: with `.spec.a` also `.spec`, which sets do not mention by
 * themselves (structured-merge-diff fieldpath/set.go EnsureNamedFieldsAreMembers).
 */
export function withNamedFields(set: FieldSet, type: MergeType | undefined): FieldSet {
  const out = new FieldSet();
  for (const element of set.members) out.members.add(element);
  for (const [element, child] of set.children) {
    if (type?.kind === 'struct' && type.byElement.has(element)) out.members.add(element);
    out.children.set(element, withNamedFields(child, type === undefined ? undefined : typeOfElement(type, element)));
  }
  return out;
}
