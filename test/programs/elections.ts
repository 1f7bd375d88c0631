import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ELECTION_EXAMPLES, runCases } from '../clients/testing/election-examples.js';
import { whyNot } from '../clients/toolchain.js';

/**
 * `npm run program elections`: the five cases of docs/testing.md with each client, against one test server for each, again and again. Prints how
 * often a case failed, and the slowest. Clients as arguments run only those; --at-once runs them at the same time.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '200' },
    'at-once': { type: 'boolean', default: false },
  },
});
const all = Object.keys(ELECTION_EXAMPLES) as (keyof typeof ELECTION_EXAMPLES)[];
const unknown = positionals.filter((name) => !(all as string[]).includes(name));
if (unknown.length > 0) throw new Error(`no example uses ${unknown.join(', ')}: ${all.join(', ')}`);

async function repeat(client: (typeof all)[number]): Promise<void> {
  const { tools, build } = ELECTION_EXAMPLES[client];
  const reasons = tools.map(whyNot).filter((reason) => reason !== undefined);
  if (reasons.length > 0) return console.log(`${client}: skipped: ${reasons.join(', ')}`);
  const folder = mkdtempSync(path.join(tmpdir(), 'elections-'));
  try {
    const command = await build(folder);
    const { results, failure } = await runCases(folder, command(Number(values.runs)));
    const failed = results.filter(({ passed }) => !passed).length;
    const [slowest] = results.toSorted((one, other) => other.ms - one.ms);
    const cases = `${results.length} cases in ${values.runs} runs, ${failed} failures`;
    console.log(
      `${client}: ${cases}, slowest ${slowest?.name} ${slowest?.ms} ms, ${results.filter(({ ms }) => ms >= 2000).length} of 2 s or more`,
    );
    if (!failure) return;
    console.error(failure);
    process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const chosen = all.filter((name) => positionals.length === 0 || positionals.includes(name));
if (values['at-once']) await Promise.all(chosen.map(repeat));
else for (const client of chosen) await repeat(client);
