import { ownContender } from './contenders/own-contender.js';
import { type Revision, buildRevision } from './contenders/revision.js';
import { parseBenchOptions } from './run/bench-options.js';
import { runBench } from './run/run-bench.js';
import { selectScenarios } from './scenarios/all-scenarios.js';

const USAGE = 'usage: bench:compare -- REV1 REV2 [scenario…]';
const DEFAULT = ['renew-64', 'renew-1'];

/** `bench:compare -- REV1 REV2 [scenario…]`: the loads on two commits, in alternating rounds, and the ratio of the second to the first. */
async function main(): Promise<void> {
  const options = parseBenchOptions(process.argv.slice(2));
  const [before, after, ...scenarios] = options.scenarios;
  if (before === undefined || after === undefined) throw new Error(USAGE);
  const selected = selectScenarios(scenarios.length > 0 ? scenarios : DEFAULT);
  const built: Revision[] = [];
  try {
    for (const revision of [before, after]) built.push(buildRevision(revision));
    const contenders = built.map(({ checkout, commit }, at) =>
      ownContender(`${at === 0 ? before : after} ${commit}`, { checkout, flags: options.serverFlags, profile: options.profile }),
    );
    await runBench(selected, contenders, options);
  } finally {
    for (const revision of built) revision.remove();
  }
}

await main();
