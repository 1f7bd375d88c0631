import { conflict } from '../../../../apimachinery/errors/status-errors.js';
import {
  type Contender,
  type LeaseView,
  asksFor,
  preferredTo,
  renewedBy,
  standAsideFor,
  takenBy,
  yieldsTo,
} from '../../../../apimachinery/election/hand-over.js';
import type { Lease, LeaseSpec } from '../lease.schema.js';
import { leaseDefinition } from '../lease.resource.js';
import { renewalTime } from '../lease-renewal.js';
import { forcedOpen, withoutForcedOpen } from './forced-open.js';
import { LeaseHeldError } from './lease-held-error.js';
import { type LockOptions, holderOfInfo, idOfInfo } from './lock-options.js';

/** Terraform's description of the holder's operation. It counts only while its holder has the lease. */
const INFO = 'coordination-apiserver/lock-info';

/** The period in which clients of the lock are expected to try again, as client-go's. */
const RETRY_MS = 2_000;

export interface LockTime {
  /** Milliseconds of the wall clock, which is written into leases and decides nothing. */
  readonly now: number;
  /** For how many milliseconds, by a steady clock, a revision has certainly been there. */
  readonly ageOf: (revision: number) => number;
}

/** The lease acquired, or renewed if the holder has it already. Throws a LeaseHeldError. */
export function lockedLease(live: Lease | undefined, name: string, options: LockOptions, at: LockTime): Lease {
  const { holder, seconds, info } = options;
  const spec: LeaseSpec = live?.spec ?? {};
  if (spec.strategy) throw conflict(leaseDefinition, name, 'coordinated leader election chooses the holder');
  const own = contenderOf(options);
  if (live && spec.holderIdentity !== holder) {
    refuseHeld(live, at);
    refuseHandedOver(live, options, at);
  }
  const time = renewalTime(spec.renewTime, at.now);
  const renewed = { holderIdentity: holder, leaseDurationSeconds: seconds, renewTime: time };
  const goesOn = spec.holderIdentity === holder;
  const term = goesOn ? {} : { acquireTime: time, leaseTransitions: live ? (spec.leaseTransitions ?? 0) + 1 : 0 };
  const metadata = live?.metadata ?? { name };
  const annotations = goesOn ? (own ? renewedBy(own, metadata.annotations) : metadata.annotations) : takenBy(own, metadata.annotations);
  return { ...live, metadata: withInfo({ ...metadata, annotations }, info), spec: { ...spec, ...renewed, ...term } };
}

/** The lease in which this contender asks the holder to hand over; undefined if it has nothing to ask. */
export function askedLease(live: Lease, options: LockOptions): Lease | undefined {
  const own = contenderOf(options);
  const annotations = own && asksFor(own, viewOf(live));
  return annotations && { ...live, metadata: { ...live.metadata, annotations } };
}

/** Who asks this holder to hand the lease over. */
export function preferredHolder(lease: Lease, options: LockOptions): string | undefined {
  const own = contenderOf(options);
  return own && preferredTo(own, viewOf(lease));
}

/** Whether freeing the lease takes it from a holder that did not ask for it. */
export function isTaken(live: Lease, options: LockOptions): boolean {
  return Boolean(live.spec.holderIdentity) && options.force && !isHolder(options, live);
}

/** The lease without its holder, as client-go releases it. Throws a LeaseHeldError for another holder, unless this user forces it. */
export function freedLease(live: Lease, options: LockOptions, user: string, at: LockTime): Lease {
  const { spec } = live;
  if (!spec?.holderIdentity) return live;
  if (!options.force && !isHolder(options, live)) refuseHeld(live, at);
  const time = renewalTime(spec.renewTime, at.now);
  const freed = { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time };
  const forced = isTaken(live, options) ? forcedOpen(user, time) : {};
  return { ...live, metadata: withInfo(live.metadata, undefined, forced), spec: { ...spec, ...freed } };
}

/**
 * Whether the holder of a lease is the operation of Terraform with this ID, or has this name. It is so until somebody else has the lease, however
 * late. Without an ID, the lease must be free. Throws a LeaseHeldError if somebody else has it.
 */
export function isHeldBy(live: Lease, id: string | undefined, at: LockTime): boolean {
  const info = infoOf(live);
  const isTheirs = id !== undefined && (live.spec?.holderIdentity === id || (info !== undefined && idOfInfo(info) === id));
  if (!isTheirs) refuseHeld(live, at);
  return isTheirs;
}

/** By its name, or by the ID of Terraform's operation. */
function isHolder({ holder, info }: LockOptions, live: Lease): boolean {
  if (live.spec?.holderIdentity === holder) return true;
  const theirs = infoOf(live);
  return info !== undefined && theirs !== undefined && idOfInfo(info) === idOfInfo(theirs);
}

/** As client-go's electors, by no wall clock: a lease has expired if it has been seen unchanged for its duration. */
function refuseHeld(live: Lease, { ageOf }: LockTime): void {
  const { holderIdentity: holder = '', leaseDurationSeconds: seconds } = live.spec ?? {};
  const revision = Number(live.metadata.resourceVersion ?? 0);
  const expiresIn = typeof seconds === 'number' ? seconds * 1000 - ageOf(revision) : undefined;
  if (holder === '' || (expiresIn !== undefined && expiresIn <= 0)) return;
  throw new LeaseHeldError(holder, revision, expiresIn, infoOf(live));
}

/** A lease that was handed over is left to the one for whom it was, for the time in which that one tries again. */
function refuseHandedOver(live: Lease, { holder, priority }: LockOptions, { ageOf }: LockTime): void {
  const preferred = yieldsTo({ holder, priority }, viewOf(live));
  const revision = Number(live.metadata.resourceVersion ?? 0);
  const left = standAsideFor(RETRY_MS) - ageOf(revision);
  if (preferred !== undefined && left > 0) throw new LeaseHeldError(preferred, revision, left, undefined, 'is to have');
}

function contenderOf({ holder, priority }: LockOptions): Contender | undefined {
  return holder === undefined || priority === undefined ? undefined : { holder, priority };
}

function viewOf({ metadata, spec }: Lease): LeaseView {
  return { holder: spec?.holderIdentity ?? '', annotations: metadata.annotations };
}

function infoOf({ metadata, spec }: Lease): string | undefined {
  const info = metadata.annotations?.[INFO];
  return info !== undefined && holderOfInfo(info) === spec?.holderIdentity ? info : undefined;
}

function withInfo(metadata: Lease['metadata'], info: string | undefined, more: Readonly<Record<string, string>> = {}): Lease['metadata'] {
  const { [INFO]: _, ...others } = withoutForcedOpen(metadata.annotations ?? undefined);
  const annotations = { ...others, ...more, ...(info === undefined ? {} : { [INFO]: info }) };
  return { ...metadata, annotations: Object.keys(annotations).length > 0 ? annotations : undefined };
}
