import type { EndedTerm, TermChange } from '../../../storage/term-change.js';
import { leaseExpiry } from './lease-expiry.js';
import { isForcedOpen } from './lock/forced-open.js';
import type { Lease, LeaseSpec } from './lease.schema.js';

/**
 * The terms that a write of a lease ends and begins: with another holder, or with another number of transitions, by which a holder says
 * that it has acquired the lease anew. Every renewal is looked at here, so what is usual comes first.
 */
export function leaseTermChange(old: Lease | undefined, next: Lease | undefined): TermChange | undefined {
  const held = holderOf(old);
  const holds = holderOf(next);
  if (held === holds && (held === '' || isSameTerm(old, next))) return undefined;
  return {
    leaseUid: (next ?? old)?.metadata.uid ?? '',
    ...(old && held !== '' && { ended: endedTerm(old, next) }),
    ...(next && holds !== '' && { begun: { ...termOf(next.spec), labels: next.metadata.labels } }),
  };
}

function holderOf(lease: Lease | undefined): string {
  return lease?.spec?.holderIdentity || '';
}

function isSameTerm(old: Lease | undefined, next: Lease | undefined): boolean {
  return old?.spec?.leaseTransitions === next?.spec?.leaseTransitions;
}

function endedTerm(old: Lease, next: Lease | undefined): EndedTerm {
  const { holder, durationSeconds } = termOf(old.spec);
  return {
    reason: reasonOf(old, next),
    holder,
    durationSeconds,
    renewTime: old.spec.renewTime ?? undefined,
    expiresMs: leaseExpiry(old, 'beginning'),
  };
}

/** A holder that was told of a better one either lets go or is replaced by it. */
function reasonOf(old: Lease, next: Lease | undefined): EndedTerm['reason'] {
  if (!next) return 'Deleted';
  const { holderIdentity, preferredHolder } = old.spec;
  const holds = holderOf(next);
  if (holds === '' && isForcedOpen(old, next)) return 'Forced';
  const isHandedOver = Boolean(preferredHolder) && preferredHolder !== holderIdentity && (holds === '' || holds === preferredHolder);
  if (isHandedOver) return 'HandedOver';
  return holds === '' ? 'Released' : 'Replaced';
}

function termOf({ holderIdentity = '', leaseDurationSeconds, leaseTransitions }: LeaseSpec) {
  return { holder: holderIdentity, durationSeconds: leaseDurationSeconds, transitions: leaseTransitions };
}
