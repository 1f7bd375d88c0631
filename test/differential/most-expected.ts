/** Findings come in clusters, since the questions of a sequence concern the same objects, and rates differ from seed to seed. */
const CLUSTERS = 2;
/** So many standard deviations above the mean leave chance 1 in 10,000. */
const DEVIATIONS = 3.72;
/** What the distribution of rare events has beyond the normal one. */
const SKEW = 2;

/**
 * How often a rule may match among so many questions if it usually matches `rate` times in 1,000: more is unlikely even if it were due
 * `CLUSTERS` times as often. The count of rare events has a variance equal to its mean, so that a short run leaves chance more room.
 */
export function maxExpected(rate: number, questions: number): number {
  const mean = (CLUSTERS * rate * questions) / 1000;
  return mean === 0 ? 0 : Math.floor(mean + DEVIATIONS * Math.sqrt(mean) + SKEW);
}
