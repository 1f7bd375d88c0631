import { Random as Seeded } from '../fuzz/random.js';
import { CORPUS } from './corpus.js';
import {
  data,
  END_HEADERS,
  END_STREAM,
  frame,
  GET_METHOD,
  headers,
  HTTPS,
  literal,
  PADDED,
  POST_METHOD,
  Type,
} from '../support/http2-frames.js';
import type { Random, Sequence, Step } from './sequence.js';

const MAX_REQUESTS = 4;
const MAX_BODY_FRAMES = 4;
const MAX_CHUNK = 60;
const CANDIDATES = [...CORPUS].filter(([, { bare, brief }]) => bare !== true && brief !== true);

export function seededRandom(seed: number): Random {
  const seeded = new Seeded(seed);
  return (limit) => seeded.below(limit);
}

/** Some valid requests in any encoding, then a sequence of the corpus with random parameters, split into writes at random. */
export function randomSequence(random: Random): Sequence {
  const count = random(MAX_REQUESTS + 1);
  const first = 1 + 2 * count;
  const before = Array.from({ length: count }, (_, at) => goodRequest(1 + 2 * at, random)).flat();
  const [name, { steps }] = CANDIDATES[random(CANDIDATES.length)] ?? CANDIDATES[0]!;
  return { name, first, bare: false, brief: false, steps: [...before, ...steps(first, random)].flatMap((step) => cut(step, random)) };
}

function goodRequest(stream: number, random: Random): Step[] {
  const hasBody = random(2) === 1;
  const fields = [
    ...literal(':path', `/r${random(1000)}`),
    ...literal(':authority', 'test'),
    ...literal('x-filler', 'x'.repeat(random(300))),
  ];
  const block = [hasBody ? POST_METHOD : GET_METHOD, HTTPS, ...fields];
  const padding = random(50);
  const isPadded = random(2) === 1;
  const payload = isPadded ? [padding, ...block, ...Buffer.alloc(padding)] : block;
  const head = headers(stream, payload, END_HEADERS | (hasBody ? 0 : END_STREAM) | (isPadded ? PADDED : 0));
  return [head, ...(hasBody ? goodBody(stream, random) : []), { answered: stream }];
}

function goodBody(stream: number, random: Random): Step[] {
  const parts = Array.from({ length: random(MAX_BODY_FRAMES) }, () => {
    const bytes = Buffer.alloc(random(500), 'b');
    const padding = random(256);
    return random(2) === 1
      ? data(stream, bytes)
      : frame(Type.DATA, PADDED, stream, Buffer.concat([Buffer.from([padding]), bytes, Buffer.alloc(padding)]));
  });
  return [...parts, random(2) === 1 ? data(stream, '', END_STREAM) : headers(stream, literal('x-sum', '1'))];
}

/** Long steps stay whole: splitting only matters within the first bytes of a frame. */
function cut(step: Step, random: Random): Step[] {
  if (!Buffer.isBuffer(step) || random(2) === 0) return [step];
  const at = Math.min(random(MAX_CHUNK), step.length);
  return [step.subarray(0, at), step.subarray(at)];
}
