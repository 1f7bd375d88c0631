import { DUE_PART } from './lease-state.js';
import type { ObservedLease } from './observed-lease.js';

/** Something that happened to a lease while this page looked on. Times are milliseconds on the server's clock. */
export interface Sighting {
  readonly at: number;
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly what: 'created' | 'deleted' | 'acquired' | 'taken-over' | 'released' | 'late';
  readonly holder: string;
  /** Who held it before. */
  readonly before: string;
  /** How long nobody had renewed it. */
  readonly silentMs: number | undefined;
}

/** What a change of a lease amounts to; undefined for a renewal in time. `after` undefined: it was deleted. */
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
