import type { ObservedLease } from '../leases/observed-lease.js';
import type { Term } from './term.js';

/**
 * When a lease that nobody holds was released, as this tab has seen or the server has recorded with its last term; undefined if that is unknown.
 * The lease does not tell: its renewTime is that of the release if the holder was an elector, and of the last renewal if somebody only removed
 * the holder.
 */
export function releasedAt(
  { holder, terms }: Pick<ObservedLease, 'holder' | 'terms'>,
  last: Pick<Term, 'to' | 'reason'> | undefined,
): number | undefined {
  if (holder !== '') return undefined;
  if (terms.length > 1) return terms.at(-1)?.from;
  return last && ['Released', 'Forced', 'HandedOver'].includes(last.reason ?? '') ? last.to : undefined;
}
