import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { startSharedPostgres, stopSharedPostgres } from '../support/shared-postgres.js';
import { ALL_ATTACKS } from '../attack/all-attacks.js';
import { type AttackOptions, attackOptions, USAGE } from '../attack/attack-options.js';
import { type Group, attackPlan } from '../attack/attack-plan.js';
import type { AttackResult } from '../attack/attack-result.js';
import { AttackRun } from '../attack/attack-run.js';
import { attackTable } from '../attack/attack-table.js';
import { TOKEN_LINES } from '../attack/identities.js';
import { buildElectionHolder } from '../attack/innocent/election-holder.js';
import type { StartTarget } from '../attack/target/attack-target.js';
import { externalTarget } from '../attack/target/external-target.js';
import { startOwnTarget } from '../attack/target/own-target.js';

/** Time to start and stop a server with its innocent clients. */
const START_SECONDS = 8;

/** `npm run program attack`: runs hostile clients against a server next to innocent ones, and prints the cost of each attack. Loopback only. */
async function main(): Promise<void> {
  const options = attackOptions(process.argv.slice(2));
  if (options.tokens) return void process.stdout.write(`${TOKEN_LINES.join('\n')}\n`);
  if (options.list) return ALL_ATTACKS.forEach(({ name, about }) => console.log(`${name.padEnd(20)}${about}`));
  const plan = attackPlan(options.attacks, options.together, options.seed);
  console.log(
    `${plan.length} ${options.together > 1 ? 'groups' : 'attacks'}, about ${minutesOf(options, plan)} minutes, seed ${options.seed}`,
  );
  const election = options.election ? await buildElectionHolder() : { whyNot: '--no-election' };
  if (election.whyNot !== undefined) console.log(`without an election holder of client-go: ${election.whyNot}`);
  const ownsServer = options.target === undefined;
  if (ownsServer) await startSharedPostgres();
  const results: AttackResult[] = [];
  try {
    await runAll(new AttackRun(options, starterOf(options), election.binary), plan, results, options);
  } finally {
    if (ownsServer) await stopSharedPostgres();
    report(options, results);
  }
  const failed = results.filter(({ failures }) => failures.length > 0);
  console.log(`${results.length - failed.length} of ${plan.length} held`);
  process.exitCode = failed.length === 0 && results.length === plan.length ? 0 : 1;
}

async function runAll(run: AttackRun, plan: readonly Group[], results: AttackResult[], options: AttackOptions): Promise<void> {
  let interrupted = false;
  const interrupt = () => {
    if (interrupted) process.exit(130);
    interrupted = true;
    console.log('stopping after this attack; press Ctrl-C again to stop immediately');
  };
  process.on('SIGINT', interrupt).on('SIGTERM', () => process.exit(143));
  try {
    for (const group of plan) {
      if (interrupted) return;
      console.log(`${group.map(({ name }) => name).join(' + ')} ...`);
      const result = await run.run(group);
      results.push(result);
      for (const failure of result.failures) console.log(`  FAILED: ${failure}`);
      if (options.target !== undefined && result.death !== undefined) return;
    }
  } finally {
    await run.close();
  }
}

function starterOf({ target, targetPid, build, memoryMiB, cgroup, flags }: AttackOptions): StartTarget {
  if (target !== undefined) return () => Promise.resolve(externalTarget(target, targetPid));
  return (more) => startOwnTarget({ checkout: path.resolve(build), memoryMiB, cgroup, flags: [...flags, ...more] });
}

function minutesOf({ seconds, baselineSeconds, settleSeconds, fresh }: AttackOptions, plan: readonly Group[]): number {
  const starts = fresh ? plan.length : 3;
  return Math.ceil((plan.length * (seconds + baselineSeconds + settleSeconds + 1) + starts * START_SECONDS) / 60);
}

function report({ out, ...options }: AttackOptions, results: readonly AttackResult[]): void {
  const table = attackTable(results);
  console.log(`\n${table}`);
  if (out === undefined) return;
  writeFileSync(`${out}.md`, table);
  const { attacks, ...settings } = options;
  writeFileSync(
    `${out}.json`,
    `${JSON.stringify({ settings: { ...settings, attacks: attacks.map(({ name }) => name) }, results }, null, 2)}\n`,
  );
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  if (error instanceof Error && /^--|Unknown option/.test(error.message)) console.error(USAGE);
  process.exitCode = 1;
}
