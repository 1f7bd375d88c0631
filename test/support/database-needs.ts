import { test } from '@jest/globals';
import { LISTENS, POOLER_VARIABLE } from './store-url.js';

/** Capabilities of the database connection that a test may need, each with the reason why the test cannot run without it. */
const NEEDS = {
  sessions: () => process.env[POOLER_VARIABLE] === 'transaction' && 'a pooler in transaction mode keeps no settings of a session',
  notifications: () => (process.env[POOLER_VARIABLE] === 'transaction' || !LISTENS) && 'nobody listens',
  'detectable servers': () =>
    (process.env[POOLER_VARIABLE] === 'transaction' || !LISTENS) && 'behind a pooler in transaction mode, servers cannot be detected',
  'no pooler': () => process.env[POOLER_VARIABLE] !== undefined && 'a pooler keeps connections to the database',
} as const;

/** A test that is skipped, with the reason, in environments that lack what it needs (test/databases). */
export function testNeeding(need: keyof typeof NEEDS, name: string, run: () => Promise<void>, timeoutMs?: number): void {
  const reason = NEEDS[need]();
  if (reason === false) test(name, run, timeoutMs);
  else test.skip(`${name}: skipped: ${reason}`, run);
}
