import type { Figures } from '../measure/figures.js';
import { commitOf, thisMachine } from '../measure/machine.js';
import type { ScenarioResult } from '../report/scenario-result.js';
import type { LockEngine } from './lock-engine.js';
import type { LockLoad } from './lock-load.js';

const WARM_UP_SECONDS = 1;

/** Measures every engine in turn, round by round, every other round in reverse; the others are idle meanwhile. */
export async function runLockLoad(
  load: LockLoad,
  engines: readonly LockEngine[],
  { runs, seconds }: { readonly runs: number; readonly seconds: number },
): Promise<ScenarioResult> {
  const rounds = new Map<LockEngine, Figures[]>();
  for (const engine of engines) {
    if (await engine.measure(load, WARM_UP_SECONDS)) rounds.set(engine, []);
  }
  const entrants = [...rounds.keys()];
  for (let round = 0; round < runs; round++) {
    for (const engine of round % 2 === 0 ? entrants : entrants.toReversed()) {
      const figures = await engine.measure(load, seconds);
      if (figures) rounds.get(engine)?.push(figures);
    }
  }
  return {
    scenario: load.name,
    load: load.load,
    figure: load.figure,
    better: 'more',
    seconds,
    generator: "TypeScript; etcd's own Go client",
    measuredAt: new Date().toISOString(),
    commit: commitOf(),
    machine: thisMachine(),
    durability: engines.map(({ name, durability }) => `${name}: ${durability}`),
    entrants: entrants.map((engine) => ({ name: engine.name, rounds: rounds.get(engine) ?? [] })),
  };
}
