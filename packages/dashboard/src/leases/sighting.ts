import { DUE_PART } from './lease-state.js';
import type { ObservedLease } from './observed-lease.js';

/** A change of a lease that this page observed. Times are milliseconds on the server's clock. */
export interface Sighting {
  readonly at: number;
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly what: 'created' | 'deleted' | 'acquired' | 'taken-over' | 'released' | 'late';
  readonly holder: string;
  /** The previous holder. */
  readonly before: string;
  /** The time without a renewal. */
  readonly silentMs: number | undefined;
}

/** Classifies a change of a lease; undefined for a renewal in time. `after` undefined: the lease was deleted. */
export function sightingOf(before: ObservedLease | undefined, after: ObservedLease | undefined, now: number): Sighting | undefined {
  const either = after ?? before;
  if (!either) return undefined;
  const { key, namespace, name } = either;
  const base = { at: now, key, namespace, name, holder: after?.holder ?? '', before: before?.holder ?? '' };
  if (!after) return { ...base, what: 'deleted', silentMs: undefined };
  if (!before) return { ...base, what: after.holder === '' ? 'created' : 'acquired', silentMs: undefined };
  const at = after.renewedAt ?? now;
  const silentMs = before.renewedAt === undefined ? undefined : Math.max(0, at - before.renewedAt);
  const what = changeOf(before, after, silentMs);
  return what && { ...base, at: what === 'released' ? now : at, what, silentMs };
}

function changeOf(before: ObservedLease, after: ObservedLease, silentMs: number | undefined): Sighting['what'] | undefined {
  if (after.holder !== before.holder) {
    if (after.holder === '') return 'released';
    return before.holder === '' ? 'acquired' : 'taken-over';
  }
  const isLate = after.gaps !== before.gaps && silentMs !== undefined && silentMs >= (before.durationMs ?? Infinity) * DUE_PART;
  return isLate ? 'late' : undefined;
}
