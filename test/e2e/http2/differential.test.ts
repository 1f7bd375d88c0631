import { describe, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { describeWith, GO } from '../../clients/toolchain.js';
import { type Comparison, compareAll } from '../../http2/compare.js';
import { CORPUS, namedSequence } from '../../http2/corpus.js';
import { DIFFERENCES } from '../../http2/differences.js';
import { randomSequence, seededRandom } from '../../http2/random-sequence.js';
import { type ComparedServer, startGo, startOurs } from '../../http2/servers.js';

const RANDOM_SEQUENCES = 150;
const SEED = 1;
const TIMEOUT_MS = 180_000;

function suite(start: () => Promise<ComparedServer>): void {
  const server = forAllTests(() => start(), TIMEOUT_MS);

  const corpus = (): Comparison[] =>
    [...CORPUS].map(([name, example]) => ({ server, sequence: namedSequence(name, example), own: example.outcome }));
  const random = (): Comparison[] =>
    Array.from({ length: RANDOM_SEQUENCES }, (_, at) => {
      const sequence = randomSequence(seededRandom(SEED + at));
      return { server, sequence, own: CORPUS.get(sequence.name)?.outcome ?? '' };
    });

  test('answers every named sequence as expected', async () => expect(await compareAll(corpus())).toEqual([]), TIMEOUT_MS);
  test(
    'answers random sequences with preceding requests as expected',
    async () => expect(await compareAll(random())).toEqual([]),
    TIMEOUT_MS,
  );
}

describe("this server's HTTP/2", () => suite(() => startOurs('own')));
describe('node:http2', () => suite(() => startOurs('node')));
describeWith([GO], "Go's HTTP/2 server", () => suite(startGo));

test('every declared difference names an existing sequence and a reason', () => {
  expect(DIFFERENCES.flatMap(({ of }) => of).filter((name) => !CORPUS.has(name))).toEqual([]);
  expect(DIFFERENCES.filter(({ because }) => because === '')).toEqual([]);
});
