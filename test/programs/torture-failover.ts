import { parseArgs } from 'node:util';
import { AutoFailoverCluster, autoFailoverEnvironment } from '../failover/cluster/auto-failover-cluster.js';
import type { DatabaseCluster } from '../failover/cluster/database-cluster.js';
import { Etcd, etcdProgram } from '../failover/cluster/etcd.js';
import { findProgram, postgresBinDir } from '../failover/cluster/find-programs.js';
import { MissingProgramError } from '../failover/cluster/missing-program-error.js';
import { PatroniCluster } from '../failover/cluster/patroni-cluster.js';
import { patroniProgram } from '../failover/cluster/patroni-program.js';
import { ProgramRunner } from '../failover/cluster/program-runner.js';
import { FailoverRun } from '../failover/failover-run.js';
import { printReport } from '../failover/print-report.js';
import { keepReport } from '../failover/report-file.js';
import { figuresOf, sumOfReports } from '../failover/sum-of-reports.js';

/** `npm run torture:failover`: kills, partitions and restores under real replication, and their effects on clients. */
const { values } = parseArgs({
  options: {
    manager: { type: 'string', default: 'patroni' },
    synchronous: { type: 'boolean', default: false },
    asynchronous: { type: 'boolean', default: false },
    failovers: { type: 'string', default: '20' },
    nodes: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 1000)) },
    'seconds-between': { type: 'string', default: '1' },
    /** Only faults with this text in their name. */
    only: { type: 'string' },
    /** etcd's program, for Patroni; default: ETCD, the PATH, or one built by Go. */
    etcd: { type: 'string', default: process.env.ETCD },
    /** Patroni's program; default: PATRONI, or one installed by pip. */
    patroni: { type: 'string', default: process.env.PATRONI },
    keep: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    /** A file to which runs are appended, one line of JSON each; those with the same manager and replication are added up. */
    append: { type: 'string' },
  },
});

/** Seconds from a failover until all nodes are back, including all waiting. */
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
  const cutShort = () => run.cutShort();
  const finish = () => {
    say('stopping after this round; press Ctrl-C again to stop immediately');
    run.finish();
    process.once('SIGINT', cutShort);
  };
  process.once('SIGINT', finish).once('SIGTERM', cutShort);
  if (values.keep) say(`logs: ${run.dir}`);
  const report = await run.run();
  const everything = { manager, how, seed, ...report, figures: figuresOf(report), log: run.rounds };
  if (values.json) console.log(JSON.stringify(everything, undefined, 2));
  else printReport(`${manager}, ${how}`, report);
  if (values.append !== undefined) {
    const all = keepReport(values.append, { manager, synchronous, seed, report });
    if (!values.json && all.length > 1) printReport(`all ${all.length} runs of ${manager}, ${how}`, sumOfReports(all));
  }
  // At full load, Node.js may never end by itself because of handles of connections that were cut off.
  process.exit(report.violations.length === 0 ? 0 : 1);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof MissingProgramError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
