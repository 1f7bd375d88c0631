import type { Attacker } from './attacker.js';

/** A hostile client's behaviour; it continues until the attack's time is over. */
export interface Attack {
  readonly name: string;
  /** One line: what is sent, and which resource it is meant to exhaust. */
  readonly about: string;
  /** Server flags without which the attack would need too many connections or streams for one machine. */
  readonly serverFlags?: readonly string[];
  run(attacker: Attacker): Promise<void>;
}
