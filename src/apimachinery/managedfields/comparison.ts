import { FieldSet } from './field-set.js';
import type { FieldPath } from './path-element.js';

/** What changed from one object to another. No path is in two of the lists; a path may be there twice. */
export class Comparison {
  readonly added: FieldPath[] = [];
  readonly modified: FieldPath[] = [];
  readonly removed: FieldPath[] = [];
  #changedSet?: FieldSet;
  #removedSet?: FieldSet;

  /** Added and modified paths: what the writer of the new object now owns. */
  get changedSet(): FieldSet {
    return (this.#changedSet ??= FieldSet.of([...this.added, ...this.modified]));
  }

  get removedSet(): FieldSet {
    return (this.#removedSet ??= FieldSet.of(this.removed));
  }
}
