import { conflict } from '../../../../apimachinery/errors/status-errors.js';
import type { Lease, LeaseSpec } from '../lease.js';
import { leaseDefinition } from '../lease.resource.js';
import { leaseExpiry } from '../lease-expiry.js';
import { LeaseHeldError } from './lease-held-error.js';
import type { LockWish } from './lock-wish.js';
import { holderOfInfo } from './lock-wish.js';

/** Terraform's description of the holder's operation. It counts only while its holder has the lease. */
const INFO = 'coordination-apiserver/lock-info';

/** The lease after the wish is fulfilled: acquired, or renewed if the holder has it already. Throws a LeaseHeldError. */
export function lockedLease(live: Lease | undefined, name: string, { holder, seconds, info }: LockWish, now: number): Lease {
  const spec: LeaseSpec = live?.spec ?? {};
  if (spec.strategy) throw conflict(leaseDefinition, name, 'coordinated leader election chooses the holder');
  if (live && spec.holderIdentity !== holder) refuseHeld(live, now);
  const time = microTime(now);
  const renewed = { holderIdentity: holder, leaseDurationSeconds: seconds, renewTime: time };
  const goesOn = spec.holderIdentity === holder;
  const term = goesOn ? {} : { acquireTime: time, leaseTransitions: live ? (spec.leaseTransitions ?? 0) + 1 : 0 };
  return { ...live, metadata: withInfo(live?.metadata ?? { name }, info), spec: { ...spec, ...renewed, ...term } };
}

/** The lease without its holder, as client-go releases it. Throws a LeaseHeldError for another holder, unless the wish names none. */
export function freedLease(live: Lease, { holder }: LockWish, now: number): Lease {
  const { spec } = live;
  if (!spec?.holderIdentity) return live;
  if (holder !== undefined && spec.holderIdentity !== holder) refuseHeld(live, now);
  const time = microTime(now);
  const freed = { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time };
  return { ...live, metadata: withInfo(live.metadata, undefined), spec: { ...spec, ...freed } };
}

function refuseHeld(live: Lease, now: number): void {
  const holder = live.spec?.holderIdentity ?? '';
  const expires = leaseExpiry(live, 'end');
  if (holder === '' || (expires !== undefined && expires <= now)) return;
  const info = live.metadata.annotations?.[INFO];
  throw new LeaseHeldError(
    holder,
    Number(live.metadata.resourceVersion ?? 0),
    expires,
    info !== undefined && holderOfInfo(info) === holder ? info : undefined,
  );
}

function withInfo(metadata: Lease['metadata'], info: string | undefined): Lease['metadata'] {
  const { [INFO]: _, ...others } = metadata.annotations ?? {};
  const annotations = info === undefined ? others : { ...others, [INFO]: info };
  return { ...metadata, annotations: Object.keys(annotations).length > 0 ? annotations : undefined };
}

function microTime(now: number): string {
  return new Date(now).toISOString().replace('Z', '000Z');
}
