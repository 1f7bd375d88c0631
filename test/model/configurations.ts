import type { ModelOptions, Mutation } from './lineage-model.js';

/** Every clock is within 0.4 ticks of the true time, and at least a tick passes between two starts, so a later start shows a later time. */
export const CLOCKS_WITHIN_BOUNDS: ModelOptions = {
  skews: [-0.4, 0.4],
  check: 'all',
  most: { copies: 3, kept: 1, writes: 4, rotations: 1 },
};

/** A later start may show an earlier time than the previous one, by a little or by a lot. */
export const CLOCKS_WRONG: ModelOptions = {
  skews: [-0.99, -3],
  check: 'without clocks',
  most: { copies: 3, kept: 1, writes: 5, rotations: 1 },
};

const small = { ...CLOCKS_WITHIN_BOUNDS, skews: [-0.4], most: { copies: 2, kept: 1, writes: 2, rotations: 0 } };

/** The violation found when one part is left out, and the depth of the search that finds it. */
export const MUTATIONS: readonly { readonly mutation: Mutation; readonly options: ModelOptions; readonly depth: number }[] = [
  { mutation: 'constant jump', options: { ...small, most: { ...small.most, copies: 3 } }, depth: 6 },
  { mutation: 'no look at the place', options: small, depth: 6 },
  { mutation: 'no comparison of lineages', options: small, depth: 6 },
  { mutation: 'gaps unknown to caches', options: small, depth: 6 },
  { mutation: 'gaps unknown to clients that resume', options: small, depth: 7 },
  { mutation: 'segments survive', options: { ...small, most: { ...small.most, rotations: 1 } }, depth: 6 },
  { mutation: 'watches survive a loss', options: small, depth: 6 },
  { mutation: 'no lift above what was seen', options: { ...CLOCKS_WRONG, most: { ...small.most, writes: 4 } }, depth: 6 },
];
