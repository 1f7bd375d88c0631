import {
  type Contender,
  type LeaseView,
  GREATEST_PRIORITY,
  asksFor,
  isPriority,
  preferredTo,
  renewedBy,
  standAsideFor,
  takenBy,
  yieldsTo,
} from '../../../../apimachinery/election/hand-over.js';
import { ApiError } from '../../../../apimachinery/errors/api-error.js';
import { badRequest, conflict, requestEntityTooLarge } from '../../../../apimachinery/errors/status-errors.js';
import { parseGoDuration } from '../../../../apimachinery/go/go-duration.js';
import { printable } from '../../../../apimachinery/text/printable.js';
import type { Query } from '../../../../endpoints/request-info/query.js';
import { leaseDefinition, renewalTime } from '../lease.resource.js';
import type { Lease, LeaseSpec } from '../lease.schema.js';
import { forcedOpen, withoutForcedOpen } from './forced-open.js';

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

export interface LockOptions {
  readonly holder: string | undefined;
  /** Frees the lock whoever holds it. */
  readonly force: boolean;
  readonly seconds: number;
  /** In milliseconds. */
  readonly wait: number;
  /** Of several contenders, the one with the greatest is to hold the lease. */
  readonly priority?: number | undefined;
  /** Terraform's description of its operation, as it sent it. */
  readonly info: string | undefined;
}

const DEFAULT_SECONDS = 60;
/** Terraform does not renew its locks, and expects them to last. */
const FOR_EVER = 2 ** 31 - 1;
/** A request that changes something ends after 34 s. */
const LONGEST_WAIT = 30_000;
const MAX_CHARACTERS = 1024;
const MAX_INFO_BYTES = 8192;

/** Of a body without a byte. `terraform force-unlock` sends it, and no ID. */
const MD5_OF_NOTHING = '1B2M2Y8AsgTpgAmY7PhCfg==';

/**
 * Reads `?holder=`, `?duration=`, `?wait=`, `?priority=` and `?force=`, and Terraform's body, which names the holder instead. That a body is missing forces
 * nothing by itself: some clients, such as node:http, send the body of a DELETE so that by the rules of HTTP/1.1 the request has none.
 * Throws a 400 or 413.
 */
export function parseLockOptions(query: Query, body: Buffer, contentMd5?: string | string[]): LockOptions {
  const info = infoIn(body);
  const holder = info === undefined ? query.first('holder') : holderOfInfo(info);
  if (holder !== undefined) checkHolder(holder);
  // Its answer would be that the client has the lock.
  if (query.has('dryRun')) throw badRequest('locks have no dryRun');
  const duration = durationIn(query, 'duration');
  const usual = info === undefined ? DEFAULT_SECONDS : FOR_EVER;
  const seconds = duration === undefined ? usual : Math.ceil(duration / 1000);
  if (seconds < 1 || seconds > FOR_EVER) throw badRequest(`duration must be positive, and at most ${FOR_EVER}s`);
  const wait = durationIn(query, 'wait') ?? 0;
  if (wait > LONGEST_WAIT) throw badRequest(`wait must be at most ${LONGEST_WAIT / 1000}s: ask again as long as the answer is 423`);
  const force = query.first('force') === 'true' || (holder === undefined && contentMd5 === MD5_OF_NOTHING);
  return { holder, force, seconds, wait, priority: priorityIn(query), info };
}

function checkHolder(holder: string): void {
  if (holder === '' || holder.length > MAX_CHARACTERS) throw badRequest(`holder must have 1 to ${MAX_CHARACTERS} characters`);
  // It would be stored with one character in place of all such bytes, as whom two contenders would be one.
  if (/\p{Cs}|\ufffd/u.test(holder)) throw badRequest('holder is not UTF-8');
}

function infoIn(body: Buffer): string | undefined {
  if (body.length === 0) return undefined;
  if (body.length > MAX_INFO_BYTES) throw requestEntityTooLarge(`limit is ${MAX_INFO_BYTES}`);
  const info = body.toString('utf8');
  if (holderOfInfo(info) === undefined) throw badRequest('the body is not the lock info of Terraform: an object with an ID');
  return info;
}

/** The holder that a lock info describes, `WHO_ID`; undefined if it is none. */
function holderOfInfo(info: string): string | undefined {
  const { id, who } = partsOf(info);
  return id === undefined || who === undefined ? id : `${who}_${id}`;
}

/** The ID in a lock info. `tofu force-unlock` sends it without `Who`. */
function idOfInfo(info: string): string | undefined {
  return partsOf(info).id;
}

function partsOf(info: string): { readonly id?: string; readonly who?: string } {
  try {
    const { ID: id, Who: who } = JSON.parse(info) as { ID?: unknown; Who?: unknown };
    return { id: filled(id), who: filled(who) };
  } catch {
    return {}; // whoever sent it gets a 400
  }
}

function filled(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function priorityIn(query: Query): number | undefined {
  const text = query.first('priority');
  if (text === undefined) return undefined;
  if (/^-?\d{1,10}$/.test(text) && isPriority(Number(text))) return Number(text);
  throw badRequest(`priority must be a whole number between -${GREATEST_PRIORITY} and ${GREATEST_PRIORITY}`);
}

function durationIn(query: Query, name: string): number | undefined {
  const text = query.first(name);
  if (text === undefined || text === '') return undefined;
  const ms = parseGoDuration(text);
  if (typeof ms !== 'number') throw badRequest(`invalid ${name}: ${ms.error}`);
  if (ms < 0) throw badRequest(`invalid ${name}: it must not be negative`);
  return ms;
}

/** 423: another holder has the lease. */
export class LeaseHeldError extends ApiError {
  constructor(
    readonly holder: string,
    /** The version of the lease in which this is so. */
    readonly revision: number,
    /** In how many milliseconds it expires, if it does not change; undefined: never. */
    readonly expiresIn: number | undefined,
    /** Terraform's description of the holder's operation. */
    readonly info: string | undefined,
    /** What the holder does: the one for whom a free lease was handed over does not have it yet. */
    readonly verb: 'holds' | 'is to have' = 'holds',
  ) {
    super({ code: 423, reason: 'Locked', message: `${printable(holder)} ${verb} the lease` });
  }

  /** The same after a write that has changed neither the holder nor its times, from which the server counts all the same. */
  since(revision: number, duration: number | undefined): LeaseHeldError {
    return new LeaseHeldError(this.holder, revision, duration, this.info);
  }
}
