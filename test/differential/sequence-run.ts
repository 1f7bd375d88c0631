import { setTimeout as sleep } from 'node:timers/promises';
import { type ComparedAnswer, type Difference, compareAnswers } from './answers/compared-answer.js';
import { readAnswer } from './answers/read-answer.js';
import { type Server, ask, SLOW_WATCH_MS } from './ask.js';
import type { AuditLog } from './audit/audit-log.js';
import { type RecordedQuestion, compareAudit } from './audit/compare-audit.js';
import { auditDeclarationOf } from './audit/declared-audit-differences.js';
import { type Declaration, declarationOf, namesYearOne } from './declared-differences.js';
import { KnownValues } from './known-values.js';
import type { Question } from './question.js';

const RBAC = 'rbac.authorization.k8s.io';
/** The objects that admission looks at: namespaces themselves. */
const ADMITTED_BY = /^\/api\/v1\/namespaces\/[^/]+(\/\w+)?$/;
/** How long upstream's caches and informers may lag behind its own writes. */
const LAG_MS = 40;

export interface Servers {
  /** Replicas of one server are asked in turn. */
  readonly upstream: readonly Server[];
  readonly ours: readonly Server[];
  /** The audit logs that are compared, too. */
  readonly logs?: Readonly<Record<'upstream' | 'ours', AuditLog>> | undefined;
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
 * the last question, as a sequence ends where the servers' objects diverge, and how many audit events were compared.
 */
export async function runSequence(
  { upstream, ours, logs }: Servers,
  questions: readonly Question[],
  namespace: string,
  found: (finding: Finding) => void,
): Promise<{ last: number; events: number }> {
  const sides = [upstream, ours].map((replicas) => ({ replicas, known: new KnownValues(namespace) }));
  const recorded: RecordedQuestion[] = [];
  let asked = 0;
  let changed = '';
  const askBoth = async (plain: Question, watchMs?: number): Promise<ComparedAnswer[]> => {
    asked += 1;
    const question = logs ? { ...plain, headers: { 'audit-id': `${namespace}.${asked}`, ...plain.headers } } : plain;
    if (
      readsCache(question) ||
      (ADMITTED_BY.test(changed) && isWrite(question)) ||
      (changed.includes(RBAC) && question.identity !== 'admin')
    ) {
      await sleep(LAG_MS);
    }
    changed = isWrite(question) ? question.path : '';
    const answer = async ({ replicas, known }: (typeof sides)[number]) => {
      const server = replicas[asked % replicas.length] as Server;
      return readAnswer(question, await ask(server, question, known, watchMs), known);
    };
    return Promise.all(sides.map(answer));
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
    else recorded.push({ id: `${namespace}.${asked}`, place, question });
    if (!mayGoOn(question, differences, answers)) {
      last = place;
      break;
    }
  }
  for (const question of cleanUp()) await askBoth(question);
  const [theirs, own] = sides;
  if (!logs || !theirs || !own) return { last, events: 0 };
  const events = await compareAudit(
    recorded,
    { log: logs.upstream, known: theirs.known },
    { log: logs.ours, known: own.known },
    ({ place, question }, differences) => found({ place, question, differences, declaration: auditDeclarationOf(differences, question) }),
  );
  return { last, events };
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
