import { LOCK_LOADS, TTL_SECONDS } from './locks/lock-load.js';
import { runLockLoad } from './locks/run-lock-load.js';
import { startEngines, stopEngines } from './locks/start-engines.js';
import { describeMachine, thisMachine } from './measure/machine.js';
import { ResultFile } from './report/result-file.js';
import { summaryOf } from './report/summary.js';
import { parseBenchOptions } from './run/bench-options.js';
import { selectByName } from './scenarios/select-by-name.js';

const DEFAULT_SECONDS = 5;

/** `bench:locks [-- load… --runs=N --seconds=S --json=FILE]`: leases in SQL beside other locks, in alternating rounds. */
async function main(): Promise<void> {
  const { scenarios, runs, seconds = DEFAULT_SECONDS, json } = parseBenchOptions(process.argv.slice(2));
  if (seconds >= TTL_SECONDS) throw new Error(`--seconds: locks expire after ${TTL_SECONDS}`);
  const loads = selectByName(scenarios, LOCK_LOADS);
  console.log(`${describeMachine(thisMachine())}; the load runs on the same cores`);
  const engines = await startEngines((reason) => console.log(`left out: ${reason}`));
  const file = json === undefined ? undefined : new ResultFile(json);
  try {
    for (const { name, durability } of engines) console.log(`${name}: ${durability}`);
    for (const load of loads) {
      const result = await runLockLoad(load, engines, { runs, seconds });
      console.log(`\n${summaryOf(result)}`);
      file?.keep(result);
    }
  } finally {
    await stopEngines(engines);
  }
}

await main();
