import { mediansOf, ratiosOf, spreadOf } from '../measure/statistics.js';
import { numberText } from './number-text.js';
import type { EntrantResult, ScenarioResult } from './scenario-result.js';
import { textTable } from './text-table.js';

/** A scenario as text: medians of the rounds, the range of the main figure, and ratios to the first entrant. */
export function summaryOf(result: ScenarioResult): string {
  const [baseline] = result.entrants;
  if (baseline === undefined) return '';
  const rounds = baseline.rounds.length;
  const medians = result.entrants.map((entrant) => mediansOf(entrant.rounds));
  const names = [...new Set([result.figure, ...medians.flatMap((figures) => Object.keys(figures))])];
  const rows = result.entrants.map((entrant, at) => [
    entrant.name,
    ...names.map((name) => cell(entrant, name, name === result.figure, medians[at]?.[name])),
    ...(result.entrants.length > 1 ? [ratioText(result, entrant)] : []),
  ]);
  const header = ['', ...names, ...(result.entrants.length > 1 ? [`ratio (${result.figure})`] : [])];
  const title = `${result.scenario}: ${result.load} (${rounds} x ${result.seconds} s, ${result.generator})`;
  return `${title}\n${textTable([header, ...rows])}`;
}

function cell(entrant: EntrantResult, figure: string, withEnds: boolean, median: number | undefined): string {
  if (median === undefined) return '-';
  if (!withEnds || entrant.rounds.length < 2) return numberText(median);
  const { lowest, highest } = spreadOf(entrant.rounds.flatMap((round) => round[figure] ?? []));
  return `${numberText(median)} (${numberText(lowest)}-${numberText(highest)})`;
}

/** The median and range of the rounds' ratios to the first entrant. */
export function ratioText({ entrants, figure }: ScenarioResult, entrant: EntrantResult): string {
  const [baseline] = entrants;
  const ratios = baseline === undefined || baseline === entrant ? undefined : ratiosOf(entrant.rounds, baseline.rounds, figure);
  if (ratios === undefined) return '';
  return `${ratios.median.toFixed(2)} (${ratios.lowest.toFixed(2)}-${ratios.highest.toFixed(2)})`;
}
