import { type RecentTerms, MAX_LEASES } from '../terms/recent-terms.js';
import type { TermArchive } from '../terms/term-archive.js';

/** What the number of flapping leases counts: the server's history of terms has the changes before the page was opened. */
export function flappingMeaning(
  { service }: Pick<TermArchive, 'service'>,
  { refused, leftOut }: Pick<RecentTerms, 'refused' | 'leftOut'>,
): string {
  const meaning = 'Leases whose holder changed three times or more within the last ten minutes,';
  const seen = `${meaning} counting only the changes that this page has seen since it was opened`;
  if (refused || service === 'refused') return `${seen}: you may not read terms.`;
  if (service === 'absent') return `${seen}: this server does not serve the history of terms.`;
  if (service === 'unknown') return `${seen}.`;
  const recorded =
    leftOut === 0 ? 'the terms that the server has recorded' : `the recorded terms of the ${MAX_LEASES} leases acquired last`;
  return `${meaning} by ${recorded} and by what this page has seen.`;
}
