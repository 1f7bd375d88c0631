const STEPS: readonly (readonly [unit: string, seconds: number])[] = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
];

/** A duration in at most two units: `0.4 s`, `12 s`, `3 m 20 s`, `2 d 4 h`. */
export function showDuration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  for (const [at, [unit, size]] of STEPS.entries()) {
    if (seconds < size) continue;
    const [smaller = 's', smallerSize = 1] = STEPS[at + 1] ?? [];
    const rest = Math.floor((seconds % size) / smallerSize);
    return rest === 0 ? `${Math.floor(seconds / size)} ${unit}` : `${Math.floor(seconds / size)} ${unit} ${rest} ${smaller}`;
  }
  return '';
}

/** The same without fractions. */
export function showWhole(ms: number): string {
  return ms < 9500 ? `${Math.round(Math.max(0, ms) / 1000)} s` : showDuration(ms);
}

/** `0.50`, `4.2`, `980`, `12,400`; a dash for a rate that is not known. */
export function showRate(perSecond: number | undefined): string {
  if (perSecond === undefined) return '–';
  if (perSecond === 0) return '0';
  if (perSecond < 1) return perSecond.toFixed(2);
  return perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond).toLocaleString('en');
}

/** The time of day in UTC, as in the objects themselves, so that it can be compared with what kubectl prints. */
function showClock(ms: number): string {
  return new Date(ms).toLocaleTimeString('en-GB', { timeZone: 'UTC' });
}

/** The time of day, with the date if it is not of the last day. In UTC, which its surroundings must say. */
export function showMoment(ms: number, now: number): string {
  if (now - ms < 86_400_000) return showClock(ms);
  const date = new Date(ms).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
  return `${date} ${showClock(ms)}`;
}

/** The same in the reader's time zone, with its name: `18:03:22 CET`. Undefined where that is UTC. */
export function showLocal(ms: number, now: number): string | undefined {
  const at = new Date(ms);
  if (at.getTimezoneOffset() === 0) return undefined;
  const isOtherDay = now - ms >= 86_400_000;
  return at.toLocaleString('en-GB', {
    ...(isOtherDay && { day: 'numeric', month: 'short' }),
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  });
}
