import { parseArgs } from 'node:util';
import { AutoFailoverCluster, autoFailoverEnvironment } from './cluster/auto-failover-cluster.js';
import type { DatabaseCluster } from './cluster/database-cluster.js';
import { Etcd, etcdProgram } from './cluster/etcd.js';
import { findProgram, postgresBinDir } from './cluster/find-programs.js';
import { MissingProgramError } from './cluster/missing-program-error.js';
import { PatroniCluster } from './cluster/patroni-cluster.js';
import { patroniProgram } from './cluster/patroni-program.js';
import { ProgramRunner } from './cluster/program-runner.js';
import { FailoverRun } from './failover-run.js';
import { printReport } from './print-report.js';
import { keepReport } from './report-file.js';
import { figuresOf, sumOfReports } from './sum-of-reports.js';

/** `npm run torture:failover`: kills, partitions and restores under real replication, and what clients saw of them. */
const { values } = parseArgs({
  options: {
    manager: { type: 'string', default: 'patroni' },
    synchronous: { type: 'boolean', default: false },
    asynchronous: { type: 'boolean', default: false },
    failovers: { type: 'string', default: '20' },
    nodes: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 1000)) },
    'seconds-between': { type: 'string', default: '1' },
    /** Only faults with this in their name. */
    only: { type: 'string' },
    /** etcd's program, for Patroni; else ETCD, the PATH, or Go builds one. */
    etcd: { type: 'string', default: process.env.ETCD },
    /** Patroni's program; else PATRONI, or pip installs one. */
    patroni: { type: 'string', default: process.env.PATRONI },
    keep: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    /** A file that runs are added to, one line of JSON each; those with the same manager and replication are summed up. */
    append: { type: 'string' },
  },
});

/** What a failover takes until all nodes are back, with all the waiting in between; seconds. */
const SECONDS_EACH: Readonly<Record<string, number>> = { patroni: 17, pg_auto_failover: 22 };

const { manager, synchronous } = values;
const failovers = Number(values.failovers);
const seed = Number(values.seed);
const secondsBetween = Number(values['seconds-between']);
const say = (text: string) => (values.json ? console.error(text) : console.log(text));

async function makeCluster(dir: string): Promise<DatabaseCluster> {
  const binDir = postgresBinDir();
  const nodes = Number(values.nodes);
  if (manager === 'pg_auto_failover') {
    const autoctl = findProgram('pg_autoctl', 'apt-get install pg-auto-failover-cli postgresql-15-auto-failover');
    const runner = new ProgramRunner(dir, autoctl, binDir, autoFailoverEnvironment(dir));
    return AutoFailoverCluster.prepare({ dir, nodes, synchronous, binDir, autoctl, runner });
  }
  const patroni = await patroniProgram(values.patroni);
  const runner = new ProgramRunner(dir, patroni, binDir);
  const etcd = await Etcd.start(await etcdProgram(values.etcd), dir, runner);
  return PatroniCluster.prepare({ dir, nodes, synchronous, binDir, patroni, runner, etcd });
}

async function main(): Promise<void> {
  if (!(manager in SECONDS_EACH)) throw new MissingProgramError(`--manager is patroni or pg_auto_failover, not ${manager}`);
  if (synchronous && values.asynchronous) throw new MissingProgramError('--synchronous and --asynchronous exclude each other');
  const minutes = Math.ceil((failovers * ((SECONDS_EACH[manager] ?? 0) + secondsBetween) * 1.2 + 40) / 60);
  const how = synchronous ? 'synchronous' : 'asynchronous';
  say(`${manager}, ${how}, ${failovers} failovers, seed ${seed}: about ${minutes} min; servers reach the primary through a TCP relay each`);
  const run = new FailoverRun({
    ...{ synchronous, failovers, seed, secondsBetween, only: values.only, keep: values.keep, cluster: makeCluster },
    onRound: ({ number, faults, failedOver, from, until }, healthyAfterMs) => {
      const times = `cluster in order after ${(healthyAfterMs / 1000).toFixed(1)} s, servers after ${((until - from) / 1000).toFixed(1)} s`;
      say(`${number} ${faults}: ${failedOver ? 'failed over' : 'same primary'}, ${times}`);
    },
  });
  const stop = () => void run.stop().then(() => process.exit(130));
  const finish = () => {
    say('ends after this round; once more: at once');
    run.finish();
    process.once('SIGINT', stop);
  };
  process.once('SIGINT', finish).once('SIGTERM', stop);
  if (values.keep) say(`logs: ${run.dir}`);
  const report = await run.run();
  const everything = { manager, how, seed, ...report, figures: figuresOf(report), log: run.rounds };
  if (values.json) console.log(JSON.stringify(everything, undefined, 2));
  else printReport(`${manager}, ${how}`, report);
  if (values.append !== undefined) {
    const all = keepReport(values.append, { manager, synchronous, seed, report });
    if (!values.json && all.length > 1) printReport(`all ${all.length} runs of ${manager}, ${how}`, sumOfReports(all));
  }
  // At a natural end Node.js may wait for ever, at full load, for handles of connections that were cut off.
  process.exit(report.violations.length === 0 ? 0 : 1);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof MissingProgramError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
