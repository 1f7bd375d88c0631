import type { Figures } from '../measure/figures.js';
import type { Machine } from '../measure/machine.js';

/** One contender, or one side of it, with all its rounds. */
export interface EntrantResult {
  readonly name: string;
  readonly rounds: readonly Figures[];
}

/** All that is kept of a scenario. The first entrant is what the others are compared with. */
export interface ScenarioResult {
  readonly scenario: string;
  readonly load: string;
  readonly figure: string;
  readonly better: 'more' | 'less';
  readonly seconds: number;
  readonly generator: string;
  readonly measuredAt: string;
  /** Of the bench, and of the server where no entrant names another. */
  readonly commit: string;
  readonly machine: Machine;
  /** What the database says of itself. */
  readonly durability: readonly string[];
  readonly entrants: readonly EntrantResult[];
}
