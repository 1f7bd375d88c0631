import type { Answer } from '../recording.js';
import { OPENAPI_REDUCTIONS } from './openapi-reductions.js';
import type { Reduction } from './reduction.js';

const REDUCTIONS: Readonly<Record<string, Reduction>> = {
  types: (body) => typesOf(body),
  keys: (body) => Object.keys(body).sort(),
  ...OPENAPI_REDUCTIONS,
};

/** Replaces a large JSON body by its projection `name:pattern`; a body that is not JSON is kept. */
export function reduce(answer: Answer, reduction: string): Answer {
  const [name = '', ...pattern] = reduction.split(':');
  const project = REDUCTIONS[name];
  if (project === undefined) throw new Error(`no reduction ${name}`);
  if (answer.body === null || typeof answer.body !== 'object') return answer;
  return { ...answer, body: project(answer.body as Record<string, unknown>, new RegExp(pattern.join(':'))) };
}

/** Replaces every leaf by the name of its type. */
function typesOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(typesOf);
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, typesOf(item)]));
}
