import type { Subject } from '../contenders/contender.js';
import type { LoadGenerator, Target } from '../load/generator.js';
import type { Figures } from '../measure/figures.js';

/** What a side has to measure with. */
export interface Trial {
  readonly subject: Subject;
  readonly target: Target;
  readonly generator: LoadGenerator;
  readonly seconds: number;
}

/** One of the things that a scenario sets against each other; most have only one. */
export interface Side {
  readonly name: string;
  /** What has to be stored before; once for each server. */
  prepare?(trial: Trial): Promise<void>;
  measure(trial: Trial): Promise<Figures>;
}

/** A load, and what it is judged by. */
export interface Scenario {
  readonly name: string;
  /** What happens, for a row of a table. */
  readonly load: string;
  readonly figure: string;
  readonly better: 'more' | 'less';
  /** How long a run takes where nobody says. */
  readonly seconds: number;
  /** The one that the sides bring along, where they do. */
  readonly generator?: string;
  /** False where a short run before the first would mean nothing. */
  readonly warmUp?: boolean;
  readonly sides: readonly [Side, ...Side[]];
  /** Each side has a server of its own, for they store different things. */
  readonly separate?: boolean;
}
