import type { Answer, Step } from './recording.js';
import { parsed } from './parsed-json.js';
import { reduce } from './reduce/reduce.js';
import { pick } from './variables.js';

type Plain = Record<string, unknown>;

/** Reduces an answer to the parts that its step compares. */
export function refine(answer: Answer, step: Step): Answer {
  let out = structuredClone(answer);
  if (typeof out.body === 'string') out.body = refineText(out.body, step);
  for (const [path, want] of Object.entries(step.select ?? {})) at(out, path, (owner, key) => select(owner, key, want));
  if (step.reduce) out = reduce(out, step.reduce);
  for (const path of step.sort ?? []) at(out, path, sortList);
  if (step.times) out = maskTimes(out, step.times) as Answer;
  for (const path of step.ignore ?? []) at(out, path, ignore);
  return step.keep ? only(out, [...step.keep, 'status', 'error']) : out;
}

function refineText(text: string, step: Step): unknown {
  const masked = step.raw === 'masked' ? maskText(text) : text;
  return step.reduce ? parsed(masked) : masked;
}

const only = (answer: Answer, keys: readonly string[]): Answer =>
  Object.fromEntries(Object.entries(answer).filter(([key]) => keys.includes(key)));

/** Calls back with the owner and the last key of a dotted path; `*` stands for every key. */
function at(value: unknown, path: string, visit: (owner: Plain | unknown[], key: string) => void): void {
  const walk = (node: unknown, [key, ...rest]: string[]): void => {
    if (node === null || typeof node !== 'object' || key === undefined) return;
    if (key === '*') for (const child of Object.values(node)) walk(child, rest);
    else if (rest.length === 0) visit(node as Plain, key);
    else walk((node as Plain)[key], rest);
  };
  walk(value, path.split('.'));
}

function ignore(owner: Plain | unknown[], key: string): void {
  if (!Array.isArray(owner)) delete owner[key];
  else if (key in owner) owner[Number(key)] = '<ignored>';
}

function select(owner: Plain | unknown[], key: string, want: unknown): void {
  const plain = owner as Plain;
  const value = plain[key];
  if (Array.isArray(value)) plain[key] = value.filter((item) => matches(item, want as Plain));
  else if (typeof value === 'string') plain[key] = matchingLines(value, new RegExp(String(want)));
  else if (value !== null && typeof value === 'object') {
    plain[key] = Object.fromEntries(Object.entries(value).filter(([name]) => new RegExp(String(want)).test(name)));
  }
}

const matchingLines = (text: string, pattern: RegExp) =>
  text
    .split('\n')
    .filter((line) => pattern.test(line))
    .sort();

function matches(item: unknown, want: Plain): boolean {
  return Object.entries(want).every(([path, value]) =>
    path === 'includes' ? JSON.stringify(item).includes(String(value)) : [value].flat().includes(pick(item, path)),
  );
}

function sortList(owner: Plain | unknown[], key: string): void {
  const plain = owner as Plain;
  const list = plain[key];
  if (Array.isArray(list)) plain[key] = [...(list as unknown[])].sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1));
}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) =>
    item !== null && typeof item === 'object' && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );

function maskTimes(value: unknown, names: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => maskTimes(item, names));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      names.includes(key) && typeof item === 'string' ? maskTime(item) : maskTimes(item, names),
    ]),
  );
}

function maskTime(text: string): string {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(text)) return '<microtime>';
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) ? '<time>' : text;
}

function maskText(text: string): string {
  return text
    .replace(/(["']?(?:creationTimestamp|deletionTimestamp|time)["']?:\s*)(["']?)\d{4}-\d\d-\d\dT[\d:]+Z\2/g, '$1$2<time>$2')
    .replace(/(["']?resourceVersion["']?:\s*)(["'])\d{2,}\2/g, '$1$2<rv>$2')
    .replace(/(["']?uid["']?:\s*)(["']?)[0-9a-f]{8}-[0-9a-f-]{27}\2/g, '$1$2<uid>$2')
    .replace(/\b\d+(\.\d+)?(ms|µs|s)\b/g, '<duration>');
}

/** The layout of a JSON text: compact or indented, and whether it ends with a newline. */
export function layoutOf(text: string): string {
  const body = text.replace(/\n$/, '');
  let lines: number;
  try {
    lines = JSON.stringify(JSON.parse(text), null, 2).split('\n').length;
  } catch {
    return 'not JSON';
  }
  const indented = lines === body.split('\n').length && /^\{\n {2}"/.test(body);
  const shape = !body.includes('\n') ? 'compact' : indented ? 'indented by 2' : 'lines';
  return `${shape}${text.endsWith('\n') ? ', newline at end' : ''}`;
}
