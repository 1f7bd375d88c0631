import type { Term } from '../terms/term.js';

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
