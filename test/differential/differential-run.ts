import https from 'node:https';
import type { DifferentialOptions } from './differential-options.js';
import { SEQUENCE_LENGTH, someSequence } from './grammar/some-sequence.js';
import type { Question } from './question.js';
import { Http2Connection } from './http2-connection.js';
import type { Server } from './ask.js';
import { type Kind, Report } from './report.js';
import { type Servers, runSequence } from './sequence-run.js';
import { shrink } from './shrink.js';
import { signatureOf } from './signature.js';

const ATTEMPTS = 60;
/** A run with more kinds than this has a common cause: they are shown without shrinking. */
const MAX_SHRUNK = 60;

export type RunOptions = Pick<DifferentialOptions, 'seed' | 'questions' | 'only' | 'shrink'>;

/** Asks all questions of a seed. */
export async function runDifferential(
  urls: { upstream: readonly string[]; ours: readonly string[]; logs?: Servers['logs'] },
  options: RunOptions,
  tell: (line: string) => void,
): Promise<Report> {
  const servers: Servers = { upstream: urls.upstream.map(serverAt), ours: urls.ours.map(serverAt), logs: urls.logs };
  const report = new Report();
  const { seed, questions, only } = options;
  for (let at = only ?? 0, left = questions; left > 0 && at <= (only ?? at); at++) {
    const sequence = someSequence(seed, at, Math.min(SEQUENCE_LENGTH, left)).questions;
    const fresh: Kind[] = [];
    const { last, events } = await askAll(servers, { report, at, sequence, namespace: `d${seed}-${at}` }, fresh);
    report.events += events;
    for (const question of sequence.slice(0, last + 1)) report.asked(question);
    left -= last + 1;
    for (const kind of fresh) {
      if (options.shrink && report.kinds.size <= MAX_SHRUNK) kind.shrunk = await shrunk(servers, kind, sequence, `d${seed}-${at}`);
      tell(`new: ${kind.signature} (--only=${at})`);
    }
    if (at % 100 === 99) tell(`${questions - left} questions`);
  }
  for (const { agent, http2 } of [...servers.upstream, ...servers.ours]) {
    agent.destroy();
    http2.close();
  }
  return report;
}

interface Asked {
  readonly report: Report;
  readonly at: number;
  readonly sequence: readonly Question[];
  readonly namespace: string;
}

async function askAll(servers: Servers, { report, at, sequence, namespace }: Asked, fresh: Kind[]): ReturnType<typeof runSequence> {
  return runSequence(servers, sequence, namespace, (finding) => {
    const kind = report.found(finding, at, sequence.slice(0, finding.place + 1));
    if (kind) fresh.push(kind);
  });
}

function shrunk(
  servers: Servers,
  { first, signature }: Kind,
  sequence: readonly Question[],
  namespace: string,
): Promise<readonly Question[]> {
  let attempt = 0;
  const stillDiffers = async (questions: readonly Question[]): Promise<boolean> => {
    let same = false;
    await runSequence(servers, questions, `${namespace}-s${first.place}-${++attempt}`, (finding) => {
      same ||= finding.place === questions.length - 1 && !finding.declaration && signatureOf(finding) === signature;
    });
    return same;
  };
  return shrink(sequence.slice(0, first.place + 1), stillDiffers, ATTEMPTS);
}

function serverAt(url: string): Server {
  return { url, agent: new https.Agent({ keepAlive: true, rejectUnauthorized: false, maxSockets: 4 }), http2: new Http2Connection(url) };
}
