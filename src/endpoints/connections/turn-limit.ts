/** Bounds of the number of pieces per turn. The lower bound keeps the server working however slow each piece is. */
export const LEAST_PIECES = 8;
export const MAX_PIECES = 128;
const PIECES_AT_FIRST = 32;
/** Target maximum length of a turn. A request passes through three or four turns. */
const TARGET_MS = 10;
/** The limit changes by at most this factor from one turn to the next, so that one pause does not shut the server. */
const MAX_CHANGE = 2;

/**
 * How many pieces of work one turn of the event loop may start, from `LEAST_PIECES` to `MAX_PIECES`. The limit follows the measured length
 * of turns: a long turn lowers it, and a short turn that used all of it raises it. Short turns with little to do show nothing about the
 * cost of many pieces, so they leave it unchanged.
 */
export class TurnLimit {
  #pieces = PIECES_AT_FIRST;

  get pieces(): number {
    return this.#pieces;
  }

  /** Records a turn that took `ms` milliseconds. `wasUsedUp`: it started as many pieces as allowed. */
  observe(ms: number, wasUsedUp: boolean): void {
    if (ms <= TARGET_MS && !wasUsedUp) return;
    const change = Math.min(MAX_CHANGE, Math.max(1 / MAX_CHANGE, TARGET_MS / ms));
    this.#pieces = Math.min(MAX_PIECES, Math.max(LEAST_PIECES, Math.round(this.#pieces * change)));
  }
}
