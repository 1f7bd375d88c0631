import { parseArgs } from 'node:util';
import { startSharedPostgres } from '../support/shared-postgres.js';
import { fuzz } from '../fuzz/fuzz-run.js';
import type { Sent } from '../fuzz/lane.js';

/** `npm run program fuzz`: sends mutated requests to a server, and prints those whose answers break a rule. */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Date.now() / 1000)) },
    requests: { type: 'string', default: '100000' },
    from: { type: 'string', default: '0' },
    /** Sends only the request with this number and prints it with its response. */
    only: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});

const seed = Number(values.seed);
const from = Number(values.only ?? values.from);
const to = values.only === undefined ? from + Number(values.requests) : from + 1;
console.log(`seed ${seed}, requests ${from} to ${to - 1}; again: npm run program fuzz -- --seed=${seed} --only=NUMBER`);

await using _shared = await startSharedPostgres();
const report = await fuzz({
  seed,
  from,
  to,
  careful: values.only !== undefined,
  onProgress: (text) => (values.verbose || text.startsWith('FOUND') ? console.log(text) : undefined),
  onSent: values.only === undefined ? undefined : (_, sent) => print(sent),
});
console.log(`answers: ${JSON.stringify(report.statuses)}`);
console.log(`memory in MiB: ${report.memory.join(' ')}`);
console.log(`${report.requests} requests in ${report.seconds.toFixed(1)} s, ${report.findings.length} findings`);
process.exitCode = report.findings.length === 0 ? 0 : 1;

function print({ request, answer }: Sent): void {
  const { body, ...head } = request;
  console.log(head);
  if (body) console.log(body.length > 4000 ? `${body.length} bytes: ${body.toString('latin1').slice(0, 4000)}` : body.toString('latin1'));
  console.log('failure' in answer ? answer : { ...answer, body: answer.body.toString('utf8').slice(0, 4000) });
}
