import { ownContender } from './contenders/own-contender.js';
import { parseBenchOptions } from './run/bench-options.js';
import { runBench } from './run/run-bench.js';
import { selectScenarios } from './scenarios/all-scenarios.js';

/** The loads of docs/performance.md on the server of this checkout. */
const options = parseBenchOptions(process.argv.slice(2));
const here = ownContender('here', { flags: options.serverFlags, profile: options.profile });
await runBench(selectScenarios(options.scenarios), [here], options);
