import type { Subject } from '../contenders/contender.js';
import type { LoadGenerator, Target } from '../load/generator.js';
import type { Figures } from '../measure/figures.js';

/** The means of measurement that a variant receives. */
export interface Trial {
  readonly subject: Subject;
  readonly target: Target;
  readonly generator: LoadGenerator;
  readonly seconds: number;
}

/** One of the variants that a scenario compares; most have only one. */
export interface Side {
  readonly name: string;
  /** How many servers share a store; 1 by default. Requires `separate`. */
  readonly servers?: number;
  /** Stores what the variant needs; once per server. */
  prepare?(trial: Trial): Promise<void>;
  measure(trial: Trial): Promise<Figures>;
}

/** A load, and the figure it is judged by. */
export interface Scenario {
  readonly name: string;
  /** A description for a row of a table. */
  readonly load: string;
  readonly figure: string;
  readonly better: 'more' | 'less';
  /** The default duration of a run. */
  readonly seconds: number;
  /** The generator that the variants bring along, if they do. */
  readonly generator?: string;
  /** False if a short warm-up run would be meaningless. */
  readonly warmUp?: boolean;
  readonly sides: readonly [Side, ...Side[]];
  /** Each variant has its own server, since they store different things. */
  readonly separate?: boolean;
}
