import type { LabelSelectorObject, SelectorRequirement } from '../meta/label-selector.schema.js';
import { type LabelOperator, LabelRequirement } from './label-requirement.js';
import { LabelSelector } from './label-selector.js';

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
