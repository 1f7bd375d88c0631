import { showText } from '../text/show-text.js';

const REASONS = new Map([
  ['Released', 'released'],
  ['Forced', 'forced open by somebody else'],
  ['HandedOver', 'handed over'],
  ['Expired', 'expired, then taken'],
  ['Replaced', 'taken before its time was over'],
  ['Deleted', 'the lease was deleted'],
  ['Unknown', 'end not recorded'],
]);

/** How a term ended, in words. */
export function showReason(reason: string): string {
  return REASONS.get(reason) ?? showText(reason);
}

/** How often a holder's time was over, and when last. */
export function showLapses(lapses: number, last: string): string {
  return lapses > 1 ? `lapsed ${lapses} times, last at ${last}` : `lapsed at ${last}`;
}
