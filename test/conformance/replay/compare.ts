import type { Answer } from './recording.js';

/**
 * The differences between the recorded and the given answer; empty if they agree. The original answers some client errors with 500. A 4xx
 * Status whose message begins like the original's, up to its first colon, is accepted instead, and is better.
 */
export function compare(want: Answer, got: Answer): string[] {
  const better = want.status === 500 && Number(got.status) >= 400 && Number(got.status) < 500 && kindOf(got) === 'Status';
  if (!better) return differences(want, got);
  return typeof messageOf(want) === 'string' ? differences({ message: topic(want) }, { message: topic(got) }) : [];
}

const kindOf = (answer: Answer) => (answer.body as { kind?: unknown } | undefined)?.kind;
const messageOf = (answer: Answer) => (answer.body as { message?: unknown } | undefined)?.message;
const topic = (answer: Answer) => String(messageOf(answer)).split(':')[0];

const isBranch = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === 'object';

function differences(want: unknown, got: unknown, path = ''): string[] {
  if (!isBranch(want) || !isBranch(got) || Array.isArray(want) !== Array.isArray(got)) {
    return JSON.stringify(want) === JSON.stringify(got) || areAges(path, want, got)
      ? []
      : [`${path || '.'}: want ${short(want)}, got ${short(got)}`];
  }
  return [...new Set([...Object.keys(want), ...Object.keys(got)])].flatMap((key) => {
    if (!(key in want)) return [`${path}.${key}: not wanted, got ${short(got[key])}`];
    if (!(key in got)) return [`${path}.${key}: want ${short(want[key])}, missing`];
    return differences(want[key], got[key], `${path}.${key}`);
  });
}

/** The age of a new object in a Table cell: the seconds depend on the machine's speed. */
const areAges = (path: string, ...values: unknown[]): boolean =>
  /\.cells\.\d+$/.test(path) && values.every((value) => typeof value === 'string' && /^\ds$/.test(value));

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
