import { LabelConditions } from './label-conditions.js';
import { LabelSelectorParser } from './label-selector-parser.js';
import type { LabelRequirement, Labels } from './label-requirement.js';

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
