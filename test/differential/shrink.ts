import type { Plain, Question } from './question.js';

/** Whether the last of the questions still shows the difference. */
export type StillDiffers = (questions: readonly Question[]) => Promise<boolean>;

/** Finds fewer and simpler questions that show the same difference; calls `stillDiffers` at most `attempts` times. */
export async function shrink(questions: readonly Question[], stillDiffers: StillDiffers, attempts: number): Promise<readonly Question[]> {
  let best = questions;
  let left = attempts;
  const better = async (candidate: readonly Question[]): Promise<boolean> => {
    if (left-- <= 0 || !(await stillDiffers(candidate))) return false;
    best = candidate;
    return true;
  };
  for (let size = Math.ceil((best.length - 1) / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at + 1 < best.length;) {
      const without = [...best.slice(0, at), ...best.slice(Math.min(at + size, best.length - 1))];
      if (!(await better(without))) at += size;
    }
  }
  for (let at = best.length - 1; at >= 0 && left > 0; at--) {
    for (let change = 0; left > 0;) {
      const simpler = simplerQuestions(best[at] as Question)[change];
      if (!simpler) break;
      if (!(await better(best.with(at, simpler)))) change += 1;
    }
  }
  return best;
}

/** The question with one part removed, in every way. */
export function simplerQuestions(question: Question): Question[] {
  const { query, headers, body, identity } = question;
  return [
    ...(identity === 'admin' ? [] : [{ ...question, identity: 'admin' as const }]),
    ...query.map((_, at) => ({ ...question, query: query.toSpliced(at, 1) })),
    ...Object.keys(headers).map((name) => ({ ...question, headers: without(headers, name) as Record<string, string> })),
    ...(body && isObject(body.value)
      ? simplerValues(body.value, body.encoding === 'protobuf' ? ['kind', 'apiVersion'] : []).map((value) => ({
          ...question,
          body: { ...body, value },
        }))
      : []),
  ];
}

/** A value with one of its members removed, two levels deep, except those that must stay. */
function simplerValues(value: Plain, kept: readonly string[]): Plain[] {
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(kept.includes(key) ? [] : [without(value, key)]),
    ...(isObject(inner) ? Object.keys(inner).map((name) => ({ ...value, [key]: without(inner, name) })) : []),
  ]);
}

function without(value: Plain, key: string): Plain {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

function isObject(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
