import type { Candidate } from './candidate.js';

/** What is done in a history. */
export interface Workload {
  readonly candidates: readonly Candidate[];
  /** After the last fault everything comes to rest within this time. */
  readonly restMs: number;
  /** Looks at the end. */
  readonly finish: () => void;
}
