import type { Figures } from '../measure/figures.js';
import type { Machine } from '../measure/machine.js';

/** One contender, or one variant of it, with all its rounds. */
export interface EntrantResult {
  readonly name: string;
  readonly rounds: readonly Figures[];
}

/** The kept results of a scenario. The first entrant is the reference for the others. */
export interface ScenarioResult {
  readonly scenario: string;
  readonly load: string;
  readonly figure: string;
  readonly better: 'more' | 'less';
  readonly seconds: number;
  readonly generator: string;
  readonly measuredAt: string;
  /** The commit of the bench, and of the server unless an entrant names another. */
  readonly commit: string;
  readonly machine: Machine;
  /** Settings and version reported by the database. */
  readonly durability: readonly string[];
  readonly entrants: readonly EntrantResult[];
}
