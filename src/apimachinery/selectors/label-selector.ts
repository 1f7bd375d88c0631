import { LabelSelectorParser } from './label-selector-parser.js';
import type { LabelRequirement, Labels } from './label-requirement.js';

/** A parsed label selector: all of its requirements must hold. */
export class LabelSelector {
  /** Sorted by key. */
  readonly requirements: readonly LabelRequirement[];

  constructor(requirements: readonly LabelRequirement[]) {
    this.requirements = requirements;
  }

  /** Selects everything. */
  get isEmpty(): boolean {
    return this.requirements.length === 0;
  }

  matches(labels: Labels | undefined): boolean {
    for (const requirement of this.requirements) if (!requirement.matches(labels)) return false;
    return true;
  }

  /** Canonical text. */
  toString(): string {
    return this.requirements.join(',');
  }
}

const EVERYTHING = new LabelSelector([]);

/** Reads a label selector; throws the 400 with the text of apimachinery's parser (pkg/labels/selector.go). */
export function parseLabelSelector(text: string): LabelSelector {
  return text === '' ? EVERYTHING : new LabelSelector(new LabelSelectorParser(text).parse());
}
