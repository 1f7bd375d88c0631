import type { Contender } from './contenders/contender.js';
import { ownContender } from './contenders/own-contender.js';
import { etcdContender, kineContender } from './contenders/upstream-contender.js';
import { parseBenchOptions } from './run/bench-options.js';
import { runBench } from './run/run-bench.js';
import { allScenarios, selectScenarios } from './scenarios/all-scenarios.js';

/** Loads that are meaningful beside another server; those that compare two variants of this one are not. */
const COMPARABLE = allScenarios.filter(({ sides }) => sides.length === 1);

/** `bench:upstream -- [scenario…] --upstream=PATH_TO_up.sh [--kine]`: the loads in turn on kube-apiserver and on this server. */
async function main(): Promise<void> {
  const options = parseBenchOptions(process.argv.slice(2));
  if (options.upstream === undefined) throw new Error('--upstream must name the script that starts kube-apiserver');
  const contenders: Contender[] = [
    options.kine ? kineContender(options.upstream) : etcdContender(options.upstream),
    ownContender('here', { flags: options.serverFlags, profile: options.profile }),
  ];
  await runBench(selectScenarios(options.scenarios, options.scenarios.length > 0 ? allScenarios : COMPARABLE), contenders, options);
}

await main();
