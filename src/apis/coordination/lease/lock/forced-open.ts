import type { Lease } from '../lease.schema.js';

/** When, and by which user, somebody else's lock was forced open. Another lock over HTTP removes it, and any other writer may keep it. */
const FORCED_OPEN = 'coordination-apiserver/forced-open';

/** Whether a write forces the lock open, as its annotation says, and not an earlier one's. */
export function isForcedOpen(old: Lease, next: Lease): boolean {
  const says = next.metadata.annotations?.[FORCED_OPEN];
  return says !== undefined && says !== old.metadata.annotations?.[FORCED_OPEN];
}

/** The annotation for a lock that the user forces open at this time. */
export function forcedOpen(user: string, time: string): Readonly<Record<string, string>> {
  return { [FORCED_OPEN]: `${time} ${user}` };
}

export function withoutForcedOpen(annotations: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { [FORCED_OPEN]: _, ...others } = annotations;
  return others;
}
