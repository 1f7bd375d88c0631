import type { ReadRecord, Sighting, Violation } from '../history.js';
import type { ObjectTree } from './object-tree.js';

/**
 * A consistent read shows every write that was acknowledged before it was sent and that survived. A read that shows a state lost later is
 * judged by the state that its branch begins at.
 */
export function staleReads(reads: readonly ReadRecord[], trees: ReadonlyMap<string, ObjectTree>): Violation[] {
  const floors = new Map([...trees].map(([key, tree]) => [key, floorsOf(tree)]));
  return reads.flatMap((read) =>
    [...trees].flatMap(([key, tree]) => {
      if (!read.states.has(key) && read.states.size <= 1) return [];
      const floor = floorAt(floors.get(key) ?? [], read.sentAt);
      const state = read.states.get(key);
      if (floor === undefined || positionOf(tree, state, read.answeredAt) >= floor.position) return [];
      const text = `server ${read.server} showed ${state?.id ?? 'nothing'} of ${key} though ${floor.id} had been acknowledged`;
      return [{ kind: 'stale read', at: read.answeredAt, text: `${text} ${Math.round(read.sentAt - floor.answeredAt)} ms before` }];
    }),
  );
}

interface Floor {
  readonly id: string;
  readonly answeredAt: number;
  readonly position: number;
}

/** Surviving acknowledged writes in the order of their responses, each at a position no lower than the previous one's. */
function floorsOf(tree: ObjectTree): Floor[] {
  const ordered = tree.survivors
    .map(({ write: { id, answeredAt }, position }) => ({ id, answeredAt, position }))
    .sort((a, b) => a.answeredAt - b.answeredAt);
  const floors: Floor[] = [];
  for (const floor of ordered) if (floor.position > (floors.at(-1)?.position ?? -1)) floors.push(floor);
  return floors;
}

function floorAt(floors: readonly Floor[], time: number): Floor | undefined {
  let [low, high] = [0, floors.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((floors[middle]?.answeredAt ?? Infinity) < time) low = middle + 1;
    else high = middle;
  }
  return floors[low - 1];
}

function positionOf(tree: ObjectTree, state: Sighting | undefined, answeredAt: number): number {
  return state ? tree.position(state.id) : tree.absentPosition(answeredAt);
}
