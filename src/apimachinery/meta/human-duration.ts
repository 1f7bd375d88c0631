const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** Formats an age like kubectl: at most two units, fewer for older objects (apimachinery pkg/util/duration). */
export function humanDuration(milliseconds: number): string {
  if (milliseconds <= -2 * SECOND) return '<invalid>';
  if (milliseconds < 0) return '0s';
  if (milliseconds < 2 * MINUTE) return `${whole(milliseconds, SECOND)}s`;
  if (milliseconds < 10 * MINUTE) return units(milliseconds, [MINUTE, 'm'], [SECOND, 's']);
  if (milliseconds < 3 * HOUR) return `${whole(milliseconds, MINUTE)}m`;
  if (milliseconds < 8 * HOUR) return units(milliseconds, [HOUR, 'h'], [MINUTE, 'm']);
  if (milliseconds < 2 * DAY) return `${whole(milliseconds, HOUR)}h`;
  if (milliseconds < 8 * DAY) return units(milliseconds, [DAY, 'd'], [HOUR, 'h']);
  if (milliseconds < 2 * YEAR) return `${whole(milliseconds, DAY)}d`;
  if (milliseconds < 8 * YEAR) return units(milliseconds, [YEAR, 'y'], [DAY, 'd']);
  return `${whole(milliseconds, YEAR)}y`;
}

type Unit = readonly [length: number, suffix: string];

function units(milliseconds: number, [large, largeSuffix]: Unit, [small, smallSuffix]: Unit): string {
  const head = whole(milliseconds, large);
  const rest = whole(milliseconds - head * large, small);
  return rest === 0 ? `${head}${largeSuffix}` : `${head}${largeSuffix}${rest}${smallSuffix}`;
}

function whole(milliseconds: number, unit: number): number {
  return Math.floor(milliseconds / unit);
}
