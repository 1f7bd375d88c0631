/**
 * Microseconds since the epoch of a canonical MicroTime, `2006-01-02T15:04:05.000000Z`. Undefined for anything else, such as null, which is
 * a stored zero time.
 */
export function microsOf(text: string | null | undefined): number | undefined {
  if (typeof text !== 'string') return undefined;
  const ms = Date.parse(`${text.slice(0, 23)}Z`);
  return Number.isNaN(ms) ? undefined : ms * 1000 + Number(text.slice(23, 26));
}

/** Formats microseconds since the epoch as a MicroTime. */
export function microTime(micros: number): string {
  const ms = Math.floor(micros / 1000);
  return `${new Date(ms).toISOString().slice(0, 23)}${String(micros - ms * 1000).padStart(3, '0')}Z`;
}
