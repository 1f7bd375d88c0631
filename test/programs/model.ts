import { parseArgs } from 'node:util';
import { CLOCKS_WITHIN_BOUNDS, CLOCKS_WRONG, MUTATIONS } from '../model/configurations.js';
import { type Exploration, explore } from '../model/explore.js';

/** `npm run program model`: explores every order of writes, restarts, restores and promotions in a model of the storage protocol. */
const { values } = parseArgs({ options: { depth: { type: 'string', default: '7' } } });
const depth = Number(values.depth);

function tell(what: string, { states, steps, finding }: Exploration): void {
  console.log(`${what}: ${states} states, ${steps} steps, ${finding ? finding.problem : 'nothing found'}`);
  for (const step of finding?.trace ?? []) console.log(`    ${step}`);
}

for (const { mutation, options, depth: far } of MUTATIONS) tell(`with ${mutation}`, explore({ ...options, mutation }, far));
const results = [
  { what: `clocks within bounds, depth ${depth}`, result: explore(CLOCKS_WITHIN_BOUNDS, depth) },
  { what: `wrong clocks, depth ${depth}`, result: explore(CLOCKS_WRONG, depth) },
];
for (const { what, result } of results) tell(what, result);
if (results.some(({ result }) => result.finding)) process.exitCode = 1;
