import type { Contender } from '../contenders/contender.js';
import { findGenerator } from '../load/find-generator.js';
import { describeMachine, thisMachine } from '../measure/machine.js';
import { ResultFile } from '../report/result-file.js';
import { summaryOf } from '../report/summary.js';
import type { Scenario } from '../scenarios/scenario.js';
import type { BenchOptions } from './bench-options.js';
import { runScenario } from './run-scenario.js';

const TO_SHOW = 'The load comes from this process and takes its CPU from the server: figures to show, not to judge.';

/** Runs scenarios one after the other, prints each result and keeps it where the options say. */
export async function runBench(scenarios: readonly Scenario[], contenders: readonly Contender[], options: BenchOptions): Promise<void> {
  const generator = findGenerator(options.leaseload);
  console.log(`${describeMachine(thisMachine())}; the load runs on the same cores`);
  if (generator.name !== 'leaseload') console.log(TO_SHOW);
  const file = options.json === undefined ? undefined : new ResultFile(options.json);
  let durability = '';
  for (const scenario of scenarios) {
    const result = await runScenario(scenario, contenders, { runs: options.runs, seconds: options.seconds, generator });
    const settings = result.durability.join('; ');
    if (settings !== durability) console.log(settings);
    durability = settings;
    console.log(`\n${summaryOf(result)}`);
    file?.keep(result);
  }
}
