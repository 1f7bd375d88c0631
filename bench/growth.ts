import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { ASSUMED } from './growth/assumptions.js';
import { calibrated } from './growth/calibrate.js';
import { latencyByRate, latencyByReplicas } from './growth/growth-plots.js';
import { loadTable, watcherTable } from './growth/growth-tables.js';
import type { BatchCosts } from './growth/measure-batches.js';
import { measureBatches } from './growth/measure-batches.js';
import type { Machine } from './measure/machine.js';
import { describeMachine, thisMachine } from './measure/machine.js';
import { writeSection } from './report/write-section.js';

interface Calibration extends BatchCosts {
  readonly machine: Machine;
  readonly measuredAt: string;
}

const FOLDER = 'docs/performance';
/** How long the log keeps a change: the compaction interval, plus up to a minute until its segment is full. */
const KEPT_SECONDS = 360;
const KEPT = `${FOLDER}/growth.json`;

/** `bench:growth [-- --calibrate]`: simulates growth with measured or kept costs of batches, and writes its chapter. */
async function main(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  if (process.argv.includes('--calibrate') || !existsSync(KEPT)) await calibrate();
  const { machine, measuredAt, costs, logBytes } = JSON.parse(readFileSync(KEPT, 'utf8')) as Calibration;
  const assumed = calibrated(ASSUMED, costs);
  writeFileSync(`${FOLDER}/growth-rate.svg`, latencyByRate(assumed));
  writeFileSync(`${FOLDER}/growth-replicas.svg`, latencyByReplicas(assumed));
  const chapter = [
    `Measured ${measuredAt.slice(0, 10)} on ${describeMachine(machine)}: the statement of a batch takes ${assumed.batch.toFixed(2)} ms plus ` +
      `${(assumed.item * 1000).toFixed(0)} µs per renewal; reading its changes takes ${assumed.readBatch.toFixed(2)} ms plus ` +
      `${(assumed.readItem * 1000).toFixed(0)} µs per change; each renewal writes ${assumed.walItemBytes} bytes of WAL. A change ` +
      `takes ${logBytes} bytes in the log, which is kept for five to six minutes: ${logGiB(6500, logBytes)} GiB for 65,000 nodes, ` +
      `${logGiB(13_000, logBytes)} GiB for 130,000.`,
    loadTable(assumed),
    '![99th percentile of renewals, by rate](performance/growth-rate.svg)',
    '![99th percentile of renewals, by replicas](performance/growth-replicas.svg)',
    'Replicas needed so that none is busy for more than 70 % of the time:',
    watcherTable(assumed),
  ];
  await writeSection('growth', chapter.join('\n\n'));
}

/** With the default --compaction-interval. */
function logGiB(rate: number, bytes: number): string {
  return ((rate * bytes * KEPT_SECONDS) / 2 ** 30).toFixed(1);
}

async function calibrate(): Promise<void> {
  const kept: Calibration = { machine: thisMachine(), measuredAt: new Date().toISOString(), ...(await measureBatches()) };
  writeFileSync(KEPT, `${JSON.stringify(kept)}\n`);
  console.table(kept.costs);
}

await main();
