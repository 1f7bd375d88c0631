import { encodingScenarios } from './encoding-scenarios.js';
import { listScenarios } from './list-scenarios.js';
import { renewScenarios } from './renew-scenarios.js';
import type { Scenario } from './scenario.js';
import { selectByName } from './select-by-name.js';
import { sizeScenarios } from './size-scenarios.js';
import { watchScenarios } from './watch-scenarios.js';

export const allScenarios: readonly Scenario[] = [
  ...renewScenarios,
  ...watchScenarios,
  ...listScenarios,
  ...sizeScenarios,
  ...encodingScenarios,
];

/** The named scenarios; all if none is named. */
export function selectScenarios(names: readonly string[], among: readonly Scenario[] = allScenarios): readonly Scenario[] {
  return selectByName(names, among);
}
