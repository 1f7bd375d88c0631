import { mediansOf, spreadOf } from '../measure/statistics.js';
import { numberText } from './number-text.js';
import type { EntrantResult, ScenarioResult } from './scenario-result.js';
import { ratioText } from './summary.js';

const HEADER = ['median (range)', 'p50/p99 ms', 'server/database MiB', 'ratio'];

/** A row for each entrant of each load. Columns in which no row has anything are left out. */
export function markdownTable(results: readonly ScenarioResult[]): string {
  const header = ['load', 'server', ...HEADER];
  const rows = results.flatMap((result) => result.entrants.map((each, at) => rowOf(result, each, at)));
  const used = header.flatMap((_, column) => (rows.some((row) => row[column] !== '') ? [column] : []));
  return tableOf([header, ...rows].map((row) => used.map((column) => row[column] ?? '')));
}

/** A row for each load and a column for each entrant: the median, and the 99th percentile in ms. */
export function markdownMatrix(results: readonly ScenarioResult[]): string {
  const names = [...new Set(results.flatMap(({ entrants }) => entrants.map(({ name }) => name)))];
  const rows = results.map(({ load, figure, entrants }) => {
    const cells = names.map((name) => {
      const medians = mediansOf(entrants.find((each) => each.name === name)?.rounds ?? []);
      return [medians[figure], medians['p99 ms']].map((value) => (value === undefined ? '' : numberText(value))).join(' / ');
    });
    return [load, ...cells.map((cell) => (cell === ' / ' ? '' : cell))];
  });
  return tableOf([['load', ...names], ...rows]);
}

function tableOf([header = [], ...rows]: readonly (readonly string[])[]): string {
  return [header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function rowOf(result: ScenarioResult, entrant: EntrantResult, at: number): string[] {
  const medians = mediansOf(entrant.rounds);
  const { lowest, highest } = spreadOf(entrant.rounds.flatMap((round) => round[result.figure] ?? []));
  const figure = (name: string) => {
    const value = medians[name];
    return value === undefined ? '' : numberText(value);
  };
  const range = entrant.rounds.length > 1 ? ` (${numberText(lowest)}-${numberText(highest)})` : '';
  const unit = result.load.startsWith(result.figure) ? '' : ` ${result.figure}`;
  const errors = medians['errors'] ? `, ${numberText(medians['errors'])} errors` : '';
  const late = medians['late'] ? `, ${numberText(medians['late'])} late` : '';
  return [
    at === 0 ? result.load : '',
    entrant.name,
    `${figure(result.figure)}${unit}${range}${errors}${late}`,
    pairOf(figure('p50 ms'), figure('p99 ms')),
    pairOf(figure('server MiB'), figure('database MiB')),
    ratioText(result, entrant),
  ];
}

const pairOf = (one: string, other: string): string => (one === '' && other === '' ? '' : `${one || '-'}/${other || '-'}`);
