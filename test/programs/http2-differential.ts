import { parseArgs } from 'node:util';
import { GO, whyNot } from '../clients/toolchain.js';
import { type Comparison, compareAll } from '../http2/compare.js';
import { CORPUS, namedSequence } from '../http2/corpus.js';
import { randomSequence, seededRandom } from '../http2/random-sequence.js';
import { startGo, startOurs } from '../http2/servers.js';

/** `npm run program http2-differential`: sends frame sequences to this HTTP/2 layer, to Node.js and to Go, and compares their reactions. */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Date.now() / 1000)) },
    sequences: { type: 'string', default: '10000' },
  },
});

const seed = Number(values.seed);
const count = Number(values.sequences);
const reason = whyNot(GO);
if (reason !== undefined) console.log(`without Go's server: ${reason}`);
const servers = [await startOurs('own'), await startOurs('node'), ...(reason === undefined ? [await startGo()] : [])];
console.log(
  `seed ${seed}: the corpus of ${CORPUS.size} and ${count} random sequences against ${servers.map(({ name }) => name).join(', ')}`,
);

function* comparisons(): Generator<Comparison> {
  for (const [name, example] of CORPUS) {
    for (const server of servers) yield { server, sequence: namedSequence(name, example), own: example.outcome };
  }
  for (let at = 0; at < count; at++) {
    const sequence = randomSequence(seededRandom(seed + at));
    for (const server of servers) yield { server, sequence, own: CORPUS.get(sequence.name)?.outcome ?? '' };
  }
}

const findings = await compareAll(comparisons());
for (const finding of findings) console.log(finding);
console.log(`${findings.length} undeclared differences`);
process.exit(findings.length === 0 ? 0 : 1);
