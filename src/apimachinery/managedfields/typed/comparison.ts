import { FieldSet } from '../fieldpath/field-set.js';
import type { FieldPath, PathElement } from '../fieldpath/path-element.js';

/** The changes from one object to another. No path is in two of the lists; a path may be repeated within one. */
export class Comparison {
  readonly added: FieldPath[] = [];
  readonly modified: FieldPath[] = [];
  readonly removed: FieldPath[] = [];
  #changedSet?: FieldSet;
  #removedSet?: FieldSet;

  /** The comparison without these elements and everything below them. */
  without(elements: readonly PathElement[]): Comparison {
    if (elements.length === 0) return this;
    const result = new Comparison();
    const keeps = ([first]: FieldPath) => first === undefined || !elements.includes(first);
    result.added.push(...this.added.filter(keeps));
    result.modified.push(...this.modified.filter(keeps));
    result.removed.push(...this.removed.filter(keeps));
    return result;
  }

  /** Added and modified paths, which the writer of the new object now owns. */
  get changedSet(): FieldSet {
    return (this.#changedSet ??= FieldSet.of([...this.added, ...this.modified]));
  }

  get removedSet(): FieldSet {
    return (this.#removedSet ??= FieldSet.of(this.removed));
  }
}
