import type { Candidate } from './candidate.js';

/** The clients of a history. */
export interface Workload {
  readonly candidates: readonly Candidate[];
  /** Time after the last fault within which everything settles. */
  readonly restMs: number;
  /** Final check. `settled`: the last revision of which everybody has had the time to learn. */
  readonly finish: (settled: number) => void;
}
