import type { Place, WaitingLine } from './backend.js';

const PLACE: Place = {
  turn: () => Promise.resolve(),
  isFirst: () => Promise.resolve(true),
  leave: () => Promise.resolve(),
};

/**
 * Everybody is first: in the database, since a queue would need what only a server tells, which is who has left; and among candidates with
 * priorities, which the lease orders.
 */
export const NO_QUEUE: WaitingLine = {
  isOccupied: () => Promise.resolve(false),
  join: () => PLACE,
};
