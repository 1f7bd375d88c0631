import { eventually } from '../../support/eventually.js';
import type { Kind } from './kinds.js';
import type { RaceContestant } from './race-contestant.js';

/**
 * Killed candidates leave tickets in line. The next one finds all of them dead at most 41 s later: 30 s after the first renewal of its own that
 * follows their last ones. A lease that was held lasts 15 s more, and those that start now take their time.
 */
const WITHIN_MS = 75_000;
/** Kinds that wait in no line, so that one contestant after another can be called. */
const WITHOUT_LINE: readonly Kind[] = ['go', 'typescript', 'fabric8'];

/**
 * Each contestant that has not led since a time must do so, as when all of a short race is spent starting it: the others are killed until it has. Of
 * kinds that wait in line one is enough. Then all compete again.
 */
export async function rollCall(contestants: readonly RaceContestant[], since: number): Promise<void> {
  for (let left = missing(contestants, since); left.length > 0;) {
    const present = contestants.filter((contestant) => !left.includes(contestant) && !contestant.wasKilled);
    await Promise.all(present.map((contestant) => contestant.kill()));
    left = await eventually(
      () => {
        // One that could not reach its server when it started has ended since the race was over.
        for (const contestant of left) contestant.revive();
        const still = missing(contestants, since);
        return still.length < left.length && still;
      },
      () => `these never lead, even alone: ${left.map(({ identity, lines }) => [identity, ...lines.slice(-20)].join('\n')).join('\n\n')}`,
      WITHIN_MS,
    );
  }
  for (const contestant of contestants) if (contestant.wasKilled) contestant.start();
}

function missing(contestants: readonly RaceContestant[], since: number): RaceContestant[] {
  const present = contestants.filter((contestant) => contestant.hasLedSince(since));
  return contestants.filter((contestant) => {
    const { kind } = contestant;
    return !present.includes(contestant) && (WITHOUT_LINE.includes(kind) || !present.some((other) => other.kind === kind));
  });
}
