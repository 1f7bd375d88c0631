import { LabelCondition } from './label-condition.js';
import type { LabelRequirement, Labels } from './label-requirement.js';

/** Numbers of labels, which an object is asked for by each of its watchers. */
const counts = new WeakMap<Labels, number>();

/** The requirements of a long selector by key. Matching takes time per label of the object or per key, whichever are fewer. */
export class LabelConditions {
  readonly #byKey = new Map<string, LabelCondition>();
  readonly #required: number;

  constructor(requirements: readonly LabelRequirement[]) {
    for (const requirement of requirements) this.#conditionOf(requirement.key).add(requirement);
    this.#required = [...this.#byKey.values()].filter(({ isRequired }) => isRequired).length;
  }

  matches(labels: Labels = {}): boolean {
    return this.#byKey.size < countOf(labels) ? this.#matchesKeys(labels) : this.#matchesLabels(labels);
  }

  #matchesKeys(labels: Labels): boolean {
    for (const [key, condition] of this.#byKey) {
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
      if (value === undefined ? condition.isRequired : !condition.admits(value)) return false;
    }
    return true;
  }

  #matchesLabels(labels: Labels): boolean {
    let found = 0;
    for (const [key, value] of Object.entries(labels)) {
      const condition = this.#byKey.get(key);
      if (!condition) continue;
      if (!condition.admits(value)) return false;
      if (condition.isRequired) found += 1;
    }
    return found === this.#required;
  }

  #conditionOf(key: string): LabelCondition {
    let condition = this.#byKey.get(key);
    if (!condition) this.#byKey.set(key, (condition = new LabelCondition()));
    return condition;
  }
}

function countOf(labels: Labels): number {
  let count = counts.get(labels);
  if (count === undefined) counts.set(labels, (count = Object.keys(labels).length));
  return count;
}
