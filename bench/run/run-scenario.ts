import type { Contender } from '../contenders/contender.js';
import type { LoadGenerator } from '../load/generator.js';
import { assertDurable } from '../measure/durability.js';
import type { Figures } from '../measure/figures.js';
import { commitOf, thisMachine } from '../measure/machine.js';
import type { ScenarioResult } from '../report/scenario-result.js';
import type { Scenario } from '../scenarios/scenario.js';
import { Entrant } from './entrant.js';

export interface RunOptions {
  readonly runs: number;
  /** Overrides the scenario's own value. */
  readonly seconds?: number;
  readonly generator: LoadGenerator;
}

/**
 * Measures every variant of every contender, one after the other, round by round, so that all see the same machine; every other round in
 * reverse, so that none is always first. Only one is under load at a time; `others CPU %` is what the others use meanwhile.
 */
export async function runScenario(scenario: Scenario, contenders: readonly Contender[], options: RunOptions): Promise<ScenarioResult> {
  const seconds = options.seconds ?? scenario.seconds;
  const { entrants, durability, stop } = await startAll(scenario, contenders, { generator: options.generator, seconds });
  try {
    const rounds = new Map(entrants.map((entrant): [Entrant, Figures[]] => [entrant, []]));
    for (const entrant of entrants) await entrant.prepare();
    if (scenario.warmUp !== false) for (const entrant of entrants) await entrant.warmUp();
    for (let round = 0; round < options.runs; round++) {
      for (const entrant of round % 2 === 0 ? entrants : entrants.toReversed()) {
        const others = entrants.filter(({ subject }) => subject !== entrant.subject);
        rounds.get(entrant)?.push(await entrant.measure(others));
      }
    }
    return {
      scenario: scenario.name,
      load: scenario.load,
      figure: scenario.figure,
      better: scenario.better,
      seconds,
      generator: scenario.generator ?? options.generator.name,
      measuredAt: new Date().toISOString(),
      commit: commitOf(),
      machine: thisMachine(),
      durability,
      entrants: entrants.map((entrant) => ({ name: entrant.name, rounds: rounds.get(entrant) ?? [] })),
    };
  } finally {
    await stop();
  }
}

async function startAll(scenario: Scenario, contenders: readonly Contender[], how: { generator: LoadGenerator; seconds: number }) {
  const entrants: Entrant[] = [];
  const stops: (() => Promise<void>)[] = [];
  const durability = new Set<string>();
  const stop = async () => {
    for (const end of stops.toReversed()) await end();
  };
  const start = async (contender: Contender, servers?: number) => {
    const subject = await contender.start(servers);
    stops.push(() => subject.stop());
    if (subject.databaseUrl !== undefined) durability.add(await assertDurable(subject.databaseUrl));
    return subject;
  };
  try {
    for (const contender of contenders) {
      const shared = scenario.separate ? undefined : await start(contender);
      for (const side of scenario.sides) {
        const label = [contender.name, side.name].filter((part) => part !== '').join(', ');
        entrants.push(new Entrant(label, side, shared ?? (await start(contender, side.servers)), how));
      }
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { entrants, durability: [...durability], stop };
}
