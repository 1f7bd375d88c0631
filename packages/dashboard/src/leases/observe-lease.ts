import type { Lease } from '../api/kubernetes-objects.js';
import { type Gap, type ObservedLease, type SeenTerm, DUE_PART } from './observed-lease.js';

const KEPT = 50;
/** The weight of the latest interval in the smoothed one. */
const NEWEST = 0.3;

/** When and how a state of a lease arrived. `live`: it has just been written; otherwise it was listed or caught up with. */
export interface Coming {
  readonly now: number;
  readonly live: boolean;
}

/** Combines the previous observations of a lease with its new state. Pure. */
export function observeLease(before: ObservedLease | undefined, lease: Lease, coming: Coming): ObservedLease {
  const first = firstObservation(lease, coming);
  // A lease that was recreated under its name is another lease.
  return before?.lease.metadata.uid === lease.metadata.uid && before ? nextObservation(before, first, coming) : first;
}

function firstObservation(lease: Lease, { now, live }: Coming): ObservedLease {
  const { spec = {}, metadata } = lease;
  const { holderIdentity: holder = '', leaseDurationSeconds, leaseTransitions: transitions = 0 } = spec;
  const renewedAt = firstRenewal(lease, now);
  const acquired = timeOf(spec.acquireTime);
  // Who holds it now has held it at the last renewal or write, at least.
  const from = live ? now : Math.min(now, acquired ?? renewedAt ?? now);
  return {
    key: keyOf(metadata),
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    lease,
    holder,
    durationMs: leaseDurationSeconds === undefined ? undefined : leaseDurationSeconds * 1000,
    transitions,
    renewedAt,
    observed: false,
    holderAheadMs: undefined,
    intervalMs: undefined,
    renewals: 0,
    terms: [{ holder, from, beganEarlier: !live && acquired === undefined, to: undefined, token: live ? tokenOf(lease) : undefined }],
    gaps: [],
  };
}

function nextObservation(before: ObservedLease, first: ObservedLease, coming: Coming): ObservedLease {
  const { lease, holder, transitions } = first;
  const renewed = timeOf(lease.spec?.renewTime);
  const isTimed = renewed !== undefined && lease.spec?.renewTime !== before.lease.spec?.renewTime;
  const isHanded = holder !== before.holder || transitions > before.transitions;
  const timed = isTimed ? renewalOf(before, renewed, coming) : kept(before, renewed === undefined ? first : before);
  const renewal = isHanded ? { ...timed, ...beforeRenewals(before) } : timed;
  const at = isTimed ? (timed.renewedAt ?? coming.now) : coming.now;
  return {
    ...first,
    ...renewal,
    terms: isHanded ? nextTerm(before.terms, holder, at, coming.live ? tokenOf(lease) : undefined) : before.terms,
    gaps: isTimed ? withGap(before, at) : before.gaps,
  };
}

export function keyOf({ namespace = '', name }: { readonly namespace?: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

type Renewal = Pick<ObservedLease, 'renewedAt' | 'observed' | 'holderAheadMs' | 'intervalMs' | 'renewals'>;

function kept({ observed, holderAheadMs, intervalMs, renewals }: ObservedLease, { renewedAt }: ObservedLease): Renewal {
  return { renewedAt, observed, holderAheadMs, intervalMs, renewals };
}

/** A change of the holder is no renewal, and may be by a user: it says nothing about the new holder's clock and intervals. */
function beforeRenewals({ renewals }: ObservedLease): Pick<Renewal, 'holderAheadMs' | 'intervalMs' | 'renewals'> {
  return { holderAheadMs: undefined, intervalMs: undefined, renewals };
}

function renewalOf(before: ObservedLease, renewTime: number, { now, live }: Coming): Renewal {
  // Missed changes happened no later than now, and no earlier than the previous observation.
  const renewedAt = live ? now : Math.min(now, Math.max(before.renewedAt ?? 0, renewTime));
  // The time between two renewals by this holder, both seen as they were written.
  const isSecond = live && before.observed && before.holderAheadMs !== undefined;
  const passed = before.renewedAt === undefined || !isSecond ? undefined : renewedAt - before.renewedAt;
  const { intervalMs = passed } = before;
  return {
    renewedAt,
    observed: live,
    holderAheadMs: live ? renewTime - now : before.holderAheadMs,
    intervalMs: intervalMs === undefined || passed === undefined ? intervalMs : intervalMs + NEWEST * (passed - intervalMs),
    renewals: before.renewals + 1,
  };
}

/** A lease that was never renewed counts from its last write, as electors count from the last change that they saw. */
function firstRenewal({ spec = {}, metadata }: Lease, now: number): number | undefined {
  if (!spec.holderIdentity) return timeOf(spec.renewTime);
  const at = timeOf(spec.renewTime) ?? lastWrite(metadata);
  return at === undefined ? undefined : Math.min(now, at);
}

function lastWrite({ managedFields = [] }: Lease['metadata']): number | undefined {
  const times = managedFields.flatMap(({ time }) => timeOf(time) ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}

function nextTerm(terms: readonly SeenTerm[], holder: string, at: number, token: string | undefined): SeenTerm[] {
  const last = terms.at(-1);
  const ended = last ? [...terms.slice(0, -1), { ...last, to: at }] : [];
  return [...ended, { holder, from: at, to: undefined, token }].slice(-KEPT);
}

/** A late renewal leaves a gap, even if another holder made it. */
function withGap(before: ObservedLease, at: number): readonly Gap[] {
  const { renewedAt, durationMs, gaps, holder } = before;
  if (holder === '' || renewedAt === undefined || durationMs === undefined || at - renewedAt < durationMs * DUE_PART) return gaps;
  return [...gaps, { from: renewedAt, to: at }].slice(-KEPT);
}

function tokenOf({ metadata, spec }: Lease): string | undefined {
  return spec?.holderIdentity ? metadata.resourceVersion : undefined;
}

export function timeOf(text: string | undefined | null): number | undefined {
  const ms = text ? Date.parse(text) : NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

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
