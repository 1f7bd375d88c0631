import type { Attacker } from './attacker.js';

/** Something that a hostile client does; it goes on until the attacker's time is over. */
export interface Attack {
  readonly name: string;
  /** One line: what is sent, and what it is to exhaust. */
  readonly about: string;
  /** Flags of the server without which the attack would need too many connections or streams to run on one machine. */
  readonly serverFlags?: readonly string[];
  run(attacker: Attacker): Promise<void>;
}
