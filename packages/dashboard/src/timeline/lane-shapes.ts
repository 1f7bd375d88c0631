import type { Gap } from '../leases/observed-lease.js';
import type { Term } from '../terms/term.js';
import type { TimeWindow } from './time-window.js';

/** A stretch of a lane in pixels, drawn in the colour of its holder; many short terms beside each other are one stretch of `terms`. */
export interface Stretch {
  readonly x: number;
  readonly width: number;
  readonly holder: string;
  readonly colour: number | 'many';
  readonly terms: number;
}

interface LaneShapes {
  /** The width of the time before the first known term. */
  readonly unknown: number;
  readonly held: readonly Stretch[];
  /** Late renewals, and the time between a last renewal and the loss of the lease by it. */
  readonly late: readonly { readonly x: number; readonly width: number }[];
}

/** Narrower terms are drawn together. */
const LEAST_WIDTH = 2;

/** What a lane of `width` pixels shows of a lease's terms and gaps. Its size does not depend on the number of terms. */
export function laneShapes(terms: readonly Term[], gaps: readonly Gap[], window: TimeWindow, width: number): LaneShapes {
  const scale = width / (window.to - window.from);
  const place = (from: number, to: number): { x: number; width: number } | undefined => {
    const [left, right] = [Math.max(window.from, from), Math.min(window.to, to)];
    return right > left ? { x: (left - window.from) * scale, width: (right - left) * scale } : undefined;
  };
  const held: Stretch[] = [];
  const colours = holderColours(terms);
  for (const [at, { holder, from, to = window.to }] of terms.entries()) {
    const shape = place(from, to);
    if (shape) append(held, { ...shape, holder, colour: colours[at] ?? 0, terms: 1 });
  }
  const late: { x: number; width: number }[] = [];
  for (const gap of [...gaps, ...silences(terms)]) {
    const shape = place(gap.from, gap.to);
    if (shape) late.push({ x: shape.x, width: Math.max(LEAST_WIDTH, shape.width) });
  }
  const first = place(window.from, terms[0]?.from ?? window.to);
  return { unknown: first?.width ?? 0, held, late };
}

/** Joins a stretch that is too narrow to the one before if that, too, is narrow, and touches it. */
function append(held: Stretch[], next: Stretch): void {
  const last = held.at(-1);
  const touches = last !== undefined && next.x - (last.x + last.width) < 1;
  const isNarrow = next.width < LEAST_WIDTH && last !== undefined && (last.terms > 1 || last.width < LEAST_WIDTH);
  if (!touches || !isNarrow) {
    held.push(next.width < LEAST_WIDTH ? { ...next, width: Math.max(1, next.width) } : next);
    return;
  }
  const width = Math.max(last.x + last.width, next.x + next.width) - last.x;
  held[held.length - 1] = { x: last.x, width, holder: '', colour: 'many', terms: last.terms + next.terms };
}

/** From a lapse, or the last renewal of a holder that let its time pass, to the end of the term; a lapse that it survived is a moment. */
function silences(terms: readonly Term[]): Gap[] {
  return terms.flatMap(({ to = Infinity, reason, renewedAt, lapsedAt, lapsed }): Gap[] => {
    if (reason === 'Expired' && renewedAt !== undefined) return [{ from: renewedAt, to }];
    return lapsedAt === undefined ? [] : [{ from: lapsedAt, to: lapsed ? to : lapsedAt + 1 }];
  });
}

export function pathOf(rectangles: readonly { readonly x: number; readonly width: number }[], top: number, height: number): string {
  return rectangles.map(({ x, width }) => `M${x.toFixed(1)} ${top}h${width.toFixed(1)}v${height}h${(-width).toFixed(1)}z`).join('');
}

/** The term at a moment; the later one if two touch there. */
export function termAt(terms: readonly Term[], at: number): Term | undefined {
  return terms.findLast(({ from, to = Infinity }) => from <= at && at < to);
}

/** The number of colours of holders in the styles. */
const COLOURS = 8;

/**
 * The colour of each of a lease's terms, 0 to 7: by the holder's name, so that it is the same after a reload and in other lanes. Where the
 * term before has that colour, another one, which the holder keeps: a change of holder always shows.
 */
export function holderColours(terms: readonly Term[]): number[] {
  const known = new Map<string, number>();
  let before: number | undefined;
  let last: string | undefined;
  return terms.map(({ holder }) => {
    const hash = hashOf(holder);
    let colour = known.get(holder) ?? hash % COLOURS;
    if (colour === before && holder !== last) colour = (colour + 1 + (Math.floor(hash / COLOURS) % (COLOURS - 1))) % COLOURS;
    known.set(holder, colour);
    [before, last] = [colour, holder];
    return colour;
  });
}

/** FNV-1a, mixed once more: names of pods differ in a few letters. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
