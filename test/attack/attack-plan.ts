import { Random } from '../fuzz/random.js';
import type { Attack } from './attack-definition.js';

/** Attacks that run at the same time. */
export type Group = readonly Attack[];

/** Every attack once: singly in the given order, or in groups drawn by the seed. */
export function attackPlan(attacks: readonly Attack[], together: number, seed: number): Group[] {
  const order = together > 1 ? shuffled(attacks, new Random(seed)) : [...attacks];
  return Array.from({ length: Math.ceil(order.length / together) }, (_, at) => order.slice(at * together, (at + 1) * together));
}

/** Server flags needed by any attack of a group. */
export function flagsOf(group: Group): string[] {
  return group.flatMap(({ serverFlags = [] }) => serverFlags);
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const order = [...items];
  for (let at = order.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [order[at], order[other]] = [order[other] as T, order[at] as T];
  }
  return order;
}
