import { compareVersions, ZERO_VERSION } from '../../apimachinery/version/semantic-version.js';
import type { Candidate } from './candidate.js';

/** The strategy of an election, or why there is none. */
export type StrategyChoice = { readonly strategy: string } | { readonly problem: string };

/**
 * Picks the strategy of an election. If every candidate names a single strategy, that of the newest binary wins, and newest binaries that
 * differ are a conflict (kubernetes pkg/controlplane/controller/leaderelection/election.go). If a candidate lists several, the lists are
 * merged as in v1alpha1. Candidates without a strategy are ignored.
 */
export function pickStrategy(candidates: readonly Candidate[]): StrategyChoice {
  const voters = candidates
    .map((candidate) => ({ candidate, strategies: [...new Set(candidate.strategies)] }))
    .filter(({ strategies }) => strategies.length > 0);
  if (voters.length === 0) return { problem: 'no candidate names a strategy' };
  if (voters.some(({ strategies }) => strategies.length > 1)) return mergeLists(voters.map(({ strategies }) => strategies));
  return strategyOfNewest(voters.map(({ candidate }) => candidate));
}

function strategyOfNewest(candidates: readonly Candidate[]): StrategyChoice {
  const versionOf = ({ binaryVersion }: Candidate) => binaryVersion ?? ZERO_VERSION;
  const newest = candidates.map(versionOf).reduce((a, b) => (compareVersions(a, b) < 0 ? b : a));
  const [first, ...others] = candidates.filter((candidate) => compareVersions(versionOf(candidate), newest) === 0);
  const strategy = first?.strategies[0] ?? '';
  const other = others.find(({ strategies }) => strategies[0] !== strategy);
  if (!other) return { strategy };
  return {
    problem: `candidates "${first?.name}", "${other.name}" at same binary version but with strategies ${strategy}, ${other.strategies[0]}`,
  };
}

/**
 * Merges preference lists: in each list the first goes before the rest. Picks the only strategy that none precedes, provided that the lists
 * do not contradict each other (kubernetes 1.31, topologicalSortWithOneRoot).
 */
function mergeLists(lists: readonly (readonly string[])[]): StrategyChoice {
  const after = new Map<string, Set<string>>();
  const nodeOf = (strategy: string): Set<string> => {
    const node = after.get(strategy) ?? new Set();
    after.set(strategy, node);
    return node;
  };
  for (const [first = '', ...rest] of lists) {
    const followers = nodeOf(first);
    for (const strategy of rest) {
      followers.add(strategy);
      nodeOf(strategy);
    }
  }
  const left = withoutOrdered(after);
  if (left.size > 0) return { problem: `the candidates' preferred strategies form a cycle: ${[...left].sort().join(', ')}` };
  const roots = rootsOf(after);
  const [strategy = ''] = roots;
  if (roots.length === 1) return { strategy };
  return { problem: `the candidates' preferred strategies have no common first choice: ${roots.sort().join(', ')}` };
}

function rootsOf(after: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  return [...after.keys()].filter((strategy) => [...after.values()].every((followers) => !followers.has(strategy)));
}

/** Topological sort: removes nodes without predecessors repeatedly, and returns what remains, which are cycles and their successors. */
function withoutOrdered(after: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const left = new Map(after);
  for (let roots = rootsOf(left); roots.length > 0; roots = rootsOf(left)) {
    for (const root of roots) left.delete(root);
  }
  return new Set(left.keys());
}
