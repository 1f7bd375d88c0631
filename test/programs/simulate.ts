import { inspect, parseArgs } from 'node:util';
import { type Fault, FAULTS } from '../simulate/faults.js';
import { mutateSources } from '../simulate/mutate-sources.js';
import { MUTATIONS } from '../simulate/mutations.js';
import type { HistoryResult } from '../simulate/run-history.js';
import { runMutations } from '../simulate/run-mutations.js';

/** `npm run simulate`: runs seeded histories of the engine in simulated time. */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    /** The first seed. */
    first: { type: 'string', default: '1' },
    /** Continues until this many events have run. */
    steps: { type: 'string' },
    /** Runs one history and prints its trace. */
    seed: { type: 'string' },
    /** Kinds of faults to leave out, separated by commas. */
    without: { type: 'string', default: '' },
    /** Runs only histories of one kind: `storage` or `elections`. */
    kind: { type: 'string' },
    /** Continues after a finding. */
    all: { type: 'boolean', default: false },
    /** Prints only the finding. */
    brief: { type: 'boolean', default: false },
    mutations: { type: 'boolean', default: false },
    /** Part of the names of mutations to run. */
    only: { type: 'string', default: '' },
    mutation: { type: 'string' },
  },
});
/** The exit code for a finding, which distinguishes it from an error. */
const FOUND = 2;
const hrtime = process.hrtime.bigint.bind(process.hrtime);

if (values.mutations) tellMutations();
else await simulate();
// after the output was written; otherwise the simulated timers would neither keep this process alive nor end it
process.stdout.write('', () => process.exit());

function tellMutations(): void {
  let missed = 0;
  let caught = 0;
  for (const { name, finding } of runMutations(Number(values.seeds ?? 400), values.only)) {
    console.log(`${finding === undefined ? 'NOT CAUGHT' : 'caught'}: ${name}${finding === undefined ? '' : `\n    ${finding}`}`);
    if (finding === undefined) missed++;
    else caught++;
  }
  console.log(`${caught} of ${caught + missed} mutations are caught`);
  if (missed > 0) process.exitCode = 1;
}

async function simulate(): Promise<void> {
  if (values.mutation !== undefined) mutateSources(mutationCalled(values.mutation));
  // loaded after the mutation is applied
  const { install } = await import('../simulate/world/install.js');
  const { kindOf, runHistory } = await import('../simulate/run-history.js');
  install();
  const without = values.without.split(',').filter((name) => name !== '') as Fault[];
  const unknown = without.find((name) => !FAULTS.includes(name));
  if (unknown !== undefined) throw new Error(`there is no fault "${unknown}": ${FAULTS.join(', ')}`);
  const begun = hrtime();
  const [first, count] = values.seed === undefined ? [Number(values.first), Number(values.seeds ?? 1_000)] : [Number(values.seed), 1];
  const most = values.steps === undefined ? Infinity : Number(values.steps);
  let [steps, histories, commits] = [0, 0, 0];
  for (let seed = first; values.steps === undefined ? histories < count : steps < most; seed++) {
    if (values.kind !== undefined && values.kind !== kindOf(seed)) continue;
    const result = await runHistory({ seed, without, traced: values.seed !== undefined });
    histories++;
    steps += result.steps;
    commits += result.commits;
    for (const line of result.lines) console.log(line);
    if (!result.finding) continue;
    process.exitCode = FOUND;
    await tell(result, result.finding);
    if (!values.all) break;
  }
  const seconds = Number(hrtime() - begun) / 1e9;
  const rates = `${Math.round(steps / seconds)} steps a second, ${Math.round((60 * histories) / seconds)} histories a minute`;
  if (!values.brief) console.log(`${histories} histories, ${commits} commits, ${steps} steps in ${seconds.toFixed(1)} s: ${rates}`);
}

async function tell(result: HistoryResult, finding: Error): Promise<void> {
  console.log(`seed ${result.seed}: ${finding.message}`);
  if (values.brief || values.all) return;
  if (finding.name !== 'Finding') console.log(inspect(finding));
  if (values.seed !== undefined) return;
  const { shrink } = await import('../simulate/shrink.js');
  const { without, smallest } = await shrink(result);
  console.log(`faults: ${smallest.faults.join(', ') || 'none'}`);
  const mutation = values.mutation === undefined ? '' : ` --mutation="${values.mutation}"`;
  console.log(`npm run simulate -- --seed=${result.seed}${mutation}${without.length > 0 ? ` --without="${without.join(',')}"` : ''}`);
}

function mutationCalled(name: string) {
  const mutation = MUTATIONS.find((one) => one.name === name);
  if (!mutation) throw new Error(`there is no mutation "${name}"`);
  return mutation;
}
