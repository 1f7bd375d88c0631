import { parseArgs } from 'node:util';
import { startSharedPostgres } from '../support/shared-postgres.js';
import { runTakeovers } from '../takeovers/run-takeovers.js';

/** `npm run program takeovers -- --count=1000`: takes leases over by kills, pauses and releases, and compares their terms with what a watcher saw. */
const { values } = parseArgs({ options: { count: { type: 'string', default: '1000' } } });

await using _shared = await startSharedPostgres();
const { takeovers, terms, differences } = await runTakeovers(Number(values.count), (disturbance, moved) => {
  console.log(`${disturbance}: ${moved} leases taken over`);
});
console.log(`${takeovers.killed} takeovers after kills, ${takeovers.paused} after pauses, ${takeovers.released} after releases`);
console.log(`${terms} terms, ${differences.length} differences${differences.map((line) => `\n  ${line}`).join('')}`);
process.exitCode = differences.length === 0 ? 0 : 1;
