const UNITS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const PATTERN = /^(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h)/;

/** Milliseconds of a duration as Go writes it (`1m30s`, `1.5h`, `0`); undefined when it is none. No negative ones. */
export function parseGoDuration(text: string): number | undefined {
  if (text === '0') return 0;
  let rest = text.replace(/^\+/, '');
  let total = rest === '' ? undefined : 0;
  while (rest !== '' && total !== undefined) {
    const part = PATTERN.exec(rest)?.[0];
    if (part === undefined) return undefined;
    const number = parseFloat(part);
    total += number * (UNITS[part.replace(/^[\d.]+/, '')] ?? NaN);
    rest = rest.slice(part.length);
  }
  return total;
}
