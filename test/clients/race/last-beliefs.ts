import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { openHolders } from './lease-terms.js';
import type { RaceContestant } from './race-contestant.js';

/** A lease changes hands every few seconds, so that the two agree at most times they are looked at. */
const WITHIN_MS = 60_000;

/**
 * Compares who believes to lead with who holds the lease by its open term, when nobody is disturbed any more. Each lease has to be seen once with
 * both in agreement: a holder knows its term a moment after it has begun.
 */
export async function lastBeliefs(database: pg.Pool, leases: readonly string[], contestants: readonly RaceContestant[]): Promise<string[]> {
  const believers = (lease: string): string =>
    contestants
      .flatMap(({ lease: own, leadsAs }) => (own === lease && leadsAs !== undefined ? [leadsAs] : []))
      .sort()
      .join(' and ');
  const disagreements = new Map(leases.map((lease) => [lease, `${lease}: nobody led at the end`]));
  const end = performance.now() + WITHIN_MS;
  while (disagreements.size > 0 && performance.now() < end) {
    for (const contestant of contestants) contestant.revive();
    const before = new Map(leases.map((lease) => [lease, believers(lease)]));
    const holders = await openHolders(database);
    for (const lease of disagreements.keys()) {
      const [believer = '', holder = ''] = [before.get(lease), holders.get(lease)];
      if (believer !== '' && believer === holder) disagreements.delete(lease);
      else if (believer !== holder) {
        disagreements.set(lease, `${lease}: ${believer || 'nobody'} believed to lead, but ${holder || 'nobody'} did`);
      }
    }
    await sleep(50);
  }
  return [...disagreements.values()];
}
