import { LabelCondition } from './label-condition.js';
import type { LabelRequirement, Labels } from './label-requirement.js';

/** The requirements of a long selector by key. Matching takes time per label of the object, not per requirement. */
export class LabelConditions {
  readonly #byKey = new Map<string, LabelCondition>();
  readonly #required: number;

  constructor(requirements: readonly LabelRequirement[]) {
    for (const requirement of requirements) this.#conditionOf(requirement.key).add(requirement);
    this.#required = [...this.#byKey.values()].filter(({ isRequired }) => isRequired).length;
  }

  matches(labels: Labels = {}): boolean {
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
