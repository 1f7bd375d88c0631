import { UsageError } from './usage-error.js';

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** Milliseconds of a duration as Go writes it, such as 30s or 1m30s, or of a number of seconds. */
export function parseDuration(text: string, option: string): number {
  if (/^[\d.]+$/.test(text)) return checked(Number(text) * 1000, text, option);
  const parts = [...text.matchAll(/([\d.]+)([a-z]+)/g)];
  const complete = text !== '' && parts.map(([part]) => part).join('') === text;
  const sum = parts.reduce((total, [, number, unit = '']) => total + Number(number) * (UNITS.get(unit) ?? NaN), 0);
  return checked(complete ? sum : NaN, text, option);
}

function checked(ms: number, text: string, option: string): number {
  if (Number.isNaN(ms)) throw new UsageError(`--${option}: "${text}" is not a duration, such as 30s or 1m30s`);
  return ms;
}
