import { parseInt64 } from '../go/go-string.js';
import type { LabelSelectorObject, SelectorRequirement } from '../meta/label-selector.schema.js';
import { type LabelOperator, type Labels, LabelRequirement, LabelSelectorParser } from './label-selector-parser.js';
import { ValueCondition } from './value-condition.js';

/** Up to this many requirements and values are checked one by one; selectors with more are indexed by key. */
const FEW = 16;

/** A parsed label selector: all of its requirements must be met. */
export class LabelSelector {
  /** Sorted by key. */
  readonly requirements: readonly LabelRequirement[];
  readonly #conditions: LabelConditions | undefined;

  constructor(requirements: readonly LabelRequirement[]) {
    this.requirements = requirements;
    if (isLong(requirements)) this.#conditions = new LabelConditions(requirements);
  }

  /** Whether it selects everything. */
  get isEmpty(): boolean {
    return this.requirements.length === 0;
  }

  matches(labels: Labels | undefined): boolean {
    if (this.#conditions) return this.#conditions.matches(labels);
    for (const requirement of this.requirements) if (!requirement.matches(labels)) return false;
    return true;
  }

  /** Canonical text. */
  toString(): string {
    return this.requirements.join(',');
  }
}

function isLong(requirements: readonly LabelRequirement[]): boolean {
  return requirements.length > FEW || requirements.some(({ values }) => values.length > FEW);
}

const EVERYTHING = new LabelSelector([]);

/** Parses a label selector; throws the 400 with the text of apimachinery's parser (pkg/labels/selector.go). */
export function parseLabelSelector(text: string): LabelSelector {
  return text === '' ? EVERYTHING : new LabelSelector(new LabelSelectorParser(text).parse());
}

const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/** Converts a selector that is part of a valid object to one that can match. */
export function labelSelectorOf({ matchLabels = {}, matchExpressions = [] }: LabelSelectorObject): LabelSelector {
  const labels = Object.entries(matchLabels).map(([key, value]) => new LabelRequirement(key, '=', [value]));
  return new LabelSelector([...labels, ...matchExpressions.map(requirementOf)]);
}

function requirementOf({ key, operator, values = [] }: SelectorRequirement): LabelRequirement {
  return new LabelRequirement(key, OPERATORS.get(operator) ?? 'in', [...values].sort());
}

/** Numbers of labels, which an object is asked for by each of its watchers. */
const counts = new WeakMap<Labels, number>();

/** The requirements of a long selector by key. Matching takes time per label of the object or per key, whichever are fewer. */
class LabelConditions {
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

/** The combined requirements of a selector for one label. */
class LabelCondition {
  /** Whether objects without the label do not match. */
  isRequired = false;
  #isForbidden = false;
  readonly #values = new ValueCondition();
  /** The label must be a number above and below these bounds, if they are set. */
  #above: bigint | undefined;
  #below: bigint | undefined;

  add({ operator, values }: LabelRequirement): void {
    switch (operator) {
      case '!':
        this.#isForbidden = true;
        return;
      case 'notin':
      case '!=':
        return this.#values.exclude(values);
      case 'in':
      case '=':
      case '==':
        this.#values.allowOnly(values);
        break;
      case '>':
      case '<':
        this.#compare(operator, values[0] ?? '');
        break;
      case 'exists':
    }
    this.isRequired = true;
  }

  /** Whether a label with this value meets all requirements. */
  admits(value: string): boolean {
    return !this.#isForbidden && this.#values.admits(value) && this.#isBetween(value);
  }

  #compare(operator: '>' | '<', text: string): void {
    const bound = parseInt64(text);
    // The selector parser rejects such a bound; no number is above or below it.
    if (bound === undefined) this.#isForbidden = true;
    else if (operator === '>') this.#above = this.#above !== undefined && this.#above > bound ? this.#above : bound;
    else this.#below = this.#below !== undefined && this.#below < bound ? this.#below : bound;
  }

  #isBetween(value: string): boolean {
    if (this.#above === undefined && this.#below === undefined) return true;
    const number = parseInt64(value);
    if (number === undefined) return false;
    return (this.#above === undefined || number > this.#above) && (this.#below === undefined || number < this.#below);
  }
}
