import path from 'node:path';
import { parseArgs } from 'node:util';
import { startSharedPostgres } from '../support/shared-postgres.js';
import { type Measured, CostBench } from '../fuzz/cost/cost-bench.js';
import { beyondBounds } from '../fuzz/cost/cost-bounds.js';
import type { CostSequence } from '../fuzz/cost/cost-sequence.js';
import { KEPT_SEQUENCES } from '../fuzz/cost/kept-sequences.js';
import { reduceSequence } from '../fuzz/cost/reduce-sequence.js';
import { sequenceOf } from '../fuzz/cost/sequence-generator.js';

/**
 * `npm run program fuzz-cost`: sends random hostile sequences; one that costs the server more than its bound is reduced and printed with its seed.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Date.now() / 1000)) },
    sequences: { type: 'string', default: '60' },
    /** Measures only the sequence of this seed, and prints it. */
    only: { type: 'string' },
    /** Measures the kept sequences instead. */
    kept: { type: 'boolean', default: false },
    /** A built checkout. */
    build: { type: 'string', default: '.' },
    /** The innocent client's p99 in milliseconds below which its ratio to the baseline is ignored. */
    'latency-floor': { type: 'string', default: '100' },
    /** Prints findings without reducing them. */
    'no-reduce': { type: 'boolean', default: false },
  },
});

const SECONDS_EACH = 5;
const first = Number(values.only ?? values.seed);
const count = values.only === undefined ? Number(values.sequences) : 1;
const bound = { floorMs: Number(values['latency-floor']) };
const checkout = path.resolve(values.build);
let bench: CostBench | undefined;

async function measure(sequence: CostSequence): Promise<Measured> {
  if (bench?.isDead) {
    await bench.stop();
    bench = undefined;
  }
  bench ??= await CostBench.start(checkout);
  return bench.measure(sequence);
}

async function beyond(sequence: CostSequence): Promise<string[]> {
  const { work, cost } = await measure(sequence);
  return beyondBounds(work, cost, bound);
}

async function tryOne(name: string, sequence: CostSequence): Promise<boolean> {
  const { work, cost } = await measure(sequence);
  if (values.only !== undefined) console.log(JSON.stringify({ sequence }, null, 2));
  if (values.only !== undefined || values.kept) console.log(name, JSON.stringify({ work, cost }));
  const found = beyondBounds(work, cost, bound);
  if (found.length === 0) return false;
  console.log(`FOUND at ${name}, ${work.bytes} bytes, ${work.requests} requests:`);
  for (const text of found) console.log(`  ${text}`);
  if (values['no-reduce'] || values.kept) return true;
  const reduced = await reduceSequence(sequence, async (smaller) => (await beyond(smaller)).length > 0);
  console.log(`  ${JSON.stringify(reduced)}`);
  return true;
}

const sequences = values.kept
  ? KEPT_SEQUENCES
  : Array.from({ length: count }, (_, at) => ({ name: `seed ${first + at}`, sequence: sequenceOf(first + at) }));
const minutes = Math.ceil((sequences.length * SECONDS_EACH) / 60);
console.log(`${sequences.length} sequences from ${sequences[0]?.name}, about ${minutes} minutes, and more for findings`);
await using _shared = await startSharedPostgres();
try {
  let findings = 0;
  for (const { name, sequence } of sequences) if (await tryOne(name, sequence)) findings++;
  console.log(`${sequences.length} sequences, ${findings} beyond their bounds`);
  process.exitCode = findings === 0 ? 0 : 1;
} finally {
  await bench?.stop();
}
