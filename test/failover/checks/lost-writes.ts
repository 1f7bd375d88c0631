import type { Violation } from '../history.js';
import type { ObjectTree } from './object-tree.js';

/** Acknowledged writes that the final state does not descend from. */
export function lostWrites(trees: Iterable<ObjectTree>): Violation[] {
  return [...trees].flatMap((tree) => {
    const lost = tree.lost.map(({ id, key, answeredAt, server }) => ({
      kind: 'lost write',
      at: answeredAt,
      text: `${id} of ${key}, acknowledged by server ${server}`,
    }));
    const past = tree.unknownPast;
    return past === undefined
      ? lost
      : [...lost, { kind: 'lost write', at: 0, text: `${tree.key} descends from ${past}, which nobody made` }];
  });
}
