import { mediansOf, spreadOf } from '../measure/statistics.js';
import { type Panel, barPlot } from './bar-plot.js';
import type { ScenarioResult } from './scenario-result.js';

/** A panel per load, with a bar per entrant. */
export function resultPlot(title: string, results: readonly ScenarioResult[]): string {
  return barPlot(title, results.map(panelOf));
}

function panelOf({ load, figure, better, entrants }: ScenarioResult): Panel {
  return {
    title: load.includes(figure) ? `${load} (${better} is better)` : `${load}: ${figure} (${better} is better)`,
    unit: figure.split(' ').at(-1) ?? '',
    bars: entrants.map(({ name, rounds }) => {
      const { lowest, highest } = spreadOf(rounds.flatMap((round) => round[figure] ?? []));
      return { label: name, value: mediansOf(rounds)[figure] ?? 0, ends: [lowest, highest] };
    }),
  };
}
