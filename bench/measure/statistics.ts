import type { Figures } from './figures.js';

export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** The median and the range of some numbers; zeros for none. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
  return { median, lowest: sorted[0] ?? 0, highest: sorted.at(-1) ?? 0 };
}

/** Medians of every figure that occurs in any round. */
export function mediansOf(rounds: readonly Figures[]): Figures {
  const names = new Set(rounds.flatMap((round) => Object.keys(round)));
  const median = (name: string) => spreadOf(rounds.flatMap((round) => round[name] ?? [])).median;
  return Object.fromEntries([...names].map((name) => [name, median(name)]));
}

/**
 * Compares two contenders by the ratios of their rounds, which were measured in turn on the same machine.
 * Rounds without the figure, or with a divisor of 0, do not count.
 */
export function ratiosOf(rounds: readonly Figures[], baseline: readonly Figures[], figure: string): Spread | undefined {
  const ratios = rounds.flatMap((round, at) => {
    const [value, base] = [round[figure], baseline[at]?.[figure]];
    return value === undefined || base === undefined || base === 0 ? [] : [value / base];
  });
  return ratios.length === 0 ? undefined : spreadOf(ratios);
}
