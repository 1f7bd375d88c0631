import type { Contender } from './contenders/contender.js';
import { ownContender } from './contenders/own-contender.js';
import { etcdContender, kineContender } from './contenders/upstream-contender.js';
import { parseBenchOptions } from './run/bench-options.js';
import { runBench } from './run/run-bench.js';
import { allScenarios, selectScenarios } from './scenarios/all-scenarios.js';

/** Loads that say something beside another server; those that set two sides of this one against each other do not. */
const COMPARABLE = allScenarios.filter(({ sides }) => sides.length === 1);

/** `bench:upstream -- [scenario…] --upstream=PATH_TO_up.sh [--kine]`: the loads on kube-apiserver with etcd, or with kine, and here, round about. */
async function main(): Promise<void> {
  const options = parseBenchOptions(process.argv.slice(2));
  if (options.upstream === undefined) throw new Error('--upstream says which script starts kube-apiserver');
  const contenders: Contender[] = [
    options.kine ? kineContender(options.upstream) : etcdContender(options.upstream),
    ownContender('here', { flags: options.serverFlags, profile: options.profile }),
  ];
  await runBench(selectScenarios(options.scenarios, options.scenarios.length > 0 ? allScenarios : COMPARABLE), contenders, options);
}

await main();
