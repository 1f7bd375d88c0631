const FIRST_MS = 250;
const MAX_MS = 15_000;

/** The delay before attempt `failures` + 1: doubled each time, with a random quarter, so that many pages do not retry at once. */
export function backoffMs(failures: number, random: number): number {
  const whole = Math.min(MAX_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  return Math.round(whole * (0.75 + random / 4));
}
