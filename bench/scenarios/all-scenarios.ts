import { encodingScenarios } from './encoding-scenarios.js';
import { listScenarios } from './list-scenarios.js';
import { renewScenarios } from './renew-scenarios.js';
import type { Scenario } from './scenario.js';
import { sizeScenarios } from './size-scenarios.js';
import { watchScenarios } from './watch-scenarios.js';

export const allScenarios: readonly Scenario[] = [
  ...renewScenarios,
  ...watchScenarios,
  ...listScenarios,
  ...sizeScenarios,
  ...encodingScenarios,
];

/** The named scenarios, in their defined order; all if none is named. A name with a final `*` selects all with that prefix. */
export function selectScenarios(names: readonly string[], among: readonly Scenario[] = allScenarios): readonly Scenario[] {
  const matches = (name: string, pattern: string) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern);
  const unknown = names.filter((pattern) => !among.some(({ name }) => matches(name, pattern)));
  if (unknown.length > 0) throw new Error(`no scenario ${unknown.join(', ')}; there are ${among.map(({ name }) => name).join(', ')}`);
  return names.length === 0 ? among : among.filter(({ name }) => names.some((pattern) => matches(name, pattern)));
}
