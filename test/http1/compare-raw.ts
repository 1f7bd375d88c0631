import type { RawCase } from './cases.js';
import { DECLARED_RAW } from './declared-raw-differences.js';
import { type RawAnswer, sendRaw } from './raw-answer.js';

/** What two servers did with the same bytes, each in a line. */
export interface ComparedRaw {
  readonly name: string;
  readonly upstream: string;
  readonly ours: string;
}

export type Verdict = 'alike' | 'declared' | 'undeclared';

const TOKEN = 'differential-admin';

/** Sends a case to both. */
export async function compareRaw({ name, parts }: RawCase, upstream: string, ours: string): Promise<ComparedRaw> {
  const bytes = parts.map((part) => (typeof part === 'string' ? part.replaceAll('TOKEN', TOKEN) : withToken(part)));
  const [theirs, own] = await Promise.all([upstream, ours].map(async (url) => describeRaw(await sendRaw(url, bytes))));
  return { name, upstream: theirs ?? '', ours: own ?? '' };
}

/** Whether the answers are alike, or differ as declared. */
export function judge({ name, upstream, ours }: ComparedRaw): Verdict {
  if (upstream === ours) return 'alike';
  return DECLARED_RAW.some((each) => each.cases.includes(name) && each.upstream.test(upstream) && each.ours.test(ours))
    ? 'declared'
    : 'undeclared';
}

function withToken(part: Buffer): Buffer {
  return Buffer.from(part.toString('latin1').replaceAll('TOKEN', TOKEN), 'latin1');
}

function describeRaw({ responses, closed }: RawAnswer): string {
  return [...responses, closed ? 'closed' : 'open'].join(' ; ');
}
