/**
 * Microseconds since the epoch of a canonical MicroTime, `2006-01-02T15:04:05.000000Z`. Undefined for anything else, such as null, which is
 * a stored zero time.
 */
export function microsOf(text: string | null | undefined): number | undefined {
  if (typeof text !== 'string') return undefined;
  const ms = Date.parse(`${text.slice(0, 23)}Z`);
  return Number.isNaN(ms) ? undefined : ms * 1000 + Number(text.slice(23, 26));
}

/** Formats milliseconds since the epoch, and microseconds after them, as canonical text, like metav1.MicroTime. */
export function microTime(milliseconds: number, microseconds = 0): string {
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${String(microseconds).padStart(3, '0')}Z`;
}

/** The MicroTime of microseconds since the epoch. */
export function fromMicros(micros: number): string {
  const ms = Math.floor(micros / 1000);
  return microTime(ms, micros - ms * 1000);
}
