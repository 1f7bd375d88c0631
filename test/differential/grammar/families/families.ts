import type { Random } from '../../../fuzz/random.js';
import type { Question } from '../../question.js';
import { applies } from './applies.js';
import { histories } from './histories.js';
import { escalation, impersonation, selectors } from './rights.js';
import { terminating } from './terminating.js';
import { watchLists } from './watch-lists.js';

/** Sequences about one subject, which questions drawn one by one would hardly meet. */
const FAMILIES: readonly ((random: Random, length: number) => Question[])[] = [
  ...[applies, applies, watchLists, terminating, escalation, selectors, impersonation, histories],
];

/** The questions of some family. Some of them are asked over HTTP/2. */
export function someFamily(random: Random, length: number): Question[] {
  return random
    .pick(FAMILIES)(random, length)
    .map((question) => (random.chance(0.25) ? { ...question, http2: true } : question));
}
