import path from 'node:path';
import { parseArgs } from 'node:util';
import { TurnBench, type Turn } from '../fuzz/turns/turn-bench.js';
import { TURN_CASES } from '../fuzz/turns/turn-cases.js';
import { startSharedPostgres } from '../support/shared-postgres.js';

/**
 * `npm run program worst-turns`: searches the sizes of hostile requests for the longest turn of the event loop, and for the most memory for each
 * byte sent, and prints two tables.
 */
const { values } = parseArgs({
  options: {
    /** A built checkout. */
    build: { type: 'string', default: '.' },
    /** Only cases whose names contain one of these, separated by commas. */
    only: { type: 'string', default: '' },
    /** Fails if a turn takes longer, in milliseconds. */
    limit: { type: 'string', default: '100' },
    /** How many of the worst are printed. */
    rows: { type: 'string', default: '30' },
  },
});

/** About the limits of the server, and beyond them up to the largest body. */
const SIZES = [1000, 1950, 4900, 9900, 30_000, 100_000, 300_000, 700_000];
const TIMES = 2;
/** Runs again if a turn was this long: the machine may have been busy. */
const TIMES_IF_LONG = 4;
/** Bytes of a request whose memory is told: a smaller one is lost in what a server does besides. */
const LARGE = 100_000;

const limit = Number(values.limit);
const parts = values.only.split(',');
const cases = TURN_CASES.filter(({ name }) => parts.some((part) => name.includes(part)));
console.log(`${cases.length} kinds of requests in up to ${SIZES.length} sizes`);
await using _shared = await startSharedPostgres();
let bench = await TurnBench.start(path.resolve(values.build));
try {
  const worst: { readonly name: string; readonly turn: Turn }[] = [];
  const fattest: { readonly name: string; readonly turn: Turn }[] = [];
  for (const each of cases) {
    let found: Turn | undefined;
    let fat: Turn | undefined;
    for (const size of SIZES) {
      let turn = await bench.measure(each, size, TIMES);
      if (turn && turn.ms > limit && turn.status !== 0) turn = await bench.measure(each, size, TIMES_IF_LONG);
      if (turn && (found === undefined || turn.ms > found.ms)) found = turn;
      if (turn && turn.bytes >= LARGE && (fat === undefined || perByte(turn) > perByte(fat))) fat = turn;
      if (bench.isDead || turn?.status === 0) {
        await bench.stop();
        bench = await TurnBench.start(path.resolve(values.build));
        break;
      }
    }
    if (found) worst.push({ name: each.name, turn: found });
    if (fat) fattest.push({ name: each.name, turn: fat });
    if (found && found.ms > limit) console.log(lineOf(each.name, found));
  }
  worst.sort((a, b) => b.turn.ms - a.turn.ms);
  console.log('ms      bytes    status  request');
  for (const { name, turn } of worst.slice(0, Number(values.rows))) console.log(lineOf(name, turn));
  fattest.sort((a, b) => perByte(b.turn) - perByte(a.turn));
  console.log('MiB     a byte   bytes    request');
  for (const { name, turn } of fattest.slice(0, Number(values.rows))) console.log(memoryOf(name, turn));
  const long = worst.filter(({ turn }) => turn.ms > limit);
  console.log(`${worst.length} kinds, ${long.length} with a turn above ${limit} ms`);
  process.exitCode = long.length === 0 ? 0 : 1;
} finally {
  await bench.stop();
}

function lineOf(name: string, { ms, bytes, status, size }: Turn): string {
  return `${ms.toFixed(1).padEnd(7)} ${String(bytes).padEnd(8)} ${status || 'none'}     ${name} (size ${size})`;
}

function perByte({ memory, bytes }: Turn): number {
  return memory / bytes;
}

function memoryOf(name: string, turn: Turn): string {
  return `${(turn.memory / 2 ** 20).toFixed(1).padEnd(7)} ${perByte(turn).toFixed(1).padEnd(8)} ${String(turn.bytes).padEnd(8)} ${name} (size ${turn.size})`;
}
