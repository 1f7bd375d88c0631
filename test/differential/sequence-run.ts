import { setTimeout as sleep } from 'node:timers/promises';
import { type ComparedAnswer, type Difference, compareAnswers } from './answers/compared-answer.js';
import { readAnswer } from './answers/read-answer.js';
import { type Server, ask, SLOW_WATCH_MS } from './ask.js';
import { type Declaration, declarationOf, namesYearOne } from './declared-differences.js';
import { KnownValues } from './known-values.js';
import type { Question } from './question.js';

/** How long upstream's caches and informers may lag behind its own writes. */
const LAG_MS = 40;

export interface Servers {
  readonly upstream: Server;
  readonly ours: Server;
}

/** A question with different responses from the servers. */
export interface Finding {
  /** Its position in the sequence. */
  readonly place: number;
  readonly question: Question;
  readonly differences: readonly Difference[];
  readonly declaration: Declaration | undefined;
}

/**
 * Asks both servers the questions in order, in a namespace created for them, and calls back for every difference. Returns the position of
 * the last question: a sequence ends where the servers' objects diverge.
 */
export async function runSequence(
  { upstream, ours }: Servers,
  questions: readonly Question[],
  namespace: string,
  found: (finding: Finding) => void,
): Promise<number> {
  const sides = [upstream, ours].map((server) => ({ server, known: new KnownValues(namespace) }));
  const askBoth = async (question: Question, watchMs?: number): Promise<ComparedAnswer[]> => {
    if (readsCache(question)) await sleep(LAG_MS);
    return Promise.all(sides.map(async ({ server, known }) => readAnswer(question, await ask(server, question, known, watchMs), known)));
  };
  const compareBoth = async (question: Question, watchMs?: number) => {
    const [theirs, own] = await askBoth(question, watchMs);
    if (!theirs || !own) throw new Error('an answer is missing');
    return { answers: [theirs, own], differences: compareAnswers(theirs, own) };
  };
  await askBoth(makeNamespace(namespace));
  let last = questions.length - 1;
  for (const [place, question] of questions.entries()) {
    let { answers, differences } = await compareBoth(question);
    if (differences.some(({ path }) => path.startsWith('body.events'))) {
      ({ answers, differences } = await compareBoth(question, SLOW_WATCH_MS));
    }
    if (differences.length > 0) found({ place, question, differences, declaration: declarationOf(differences, question) });
    if (!mayGoOn(question, differences, answers)) {
      last = place;
      break;
    }
  }
  for (const question of cleanUp()) await askBoth(question);
  return last;
}

/** Whether the objects are still equal, so that later differences are not mere consequences. */
function mayGoOn(question: Question, differences: readonly Difference[], answers: readonly ComparedAnswer[]): boolean {
  if (!isWrite(question)) return true;
  // kube-apiserver writes before it answers 406; and the effects of a time in the year 1 appear in later responses.
  if (answers[0]?.status === 406 || namesYearOne(question)) return false;
  return differences.length === 0 || answers.every(({ status }) => status >= 300);
}

function readsCache({ query, method, path }: Question): boolean {
  return method === 'GET' && (path.includes('/watch/') || query.some(([name]) => name === 'resourceVersion' || name === 'watch'));
}

function isWrite({ method }: Question): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}

function admin(method: string, path: string, value?: unknown): Question {
  const body = value === undefined ? {} : { body: { encoding: 'json', contentType: 'application/json', value } as const };
  return { method, path, query: [], headers: {}, identity: 'admin', ...body };
}

function makeNamespace(name: string): Question {
  return admin('POST', '/api/v1/namespaces', { metadata: { name } });
}

/** Deletes most of the objects, so that lists of everything remain short. */
function cleanUp(): Question[] {
  const collections = [
    '/apis/coordination.k8s.io/v1/namespaces/{{ns}}/leases',
    '/apis/coordination.k8s.io/v1beta1/namespaces/{{ns}}/leasecandidates',
    '/api/v1/namespaces/{{ns}}/events',
  ];
  return collections.map((path) => admin('DELETE', path));
}
