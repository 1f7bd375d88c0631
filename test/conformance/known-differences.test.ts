import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { KNOWN_DIFFERENCES } from './known-differences.js';
import type { Scenario } from './replay/recording.js';

const RECORDINGS = new URL('./recorded/', import.meta.url);

/** References such as `scenario #1-3, #7` in backquotes, by which the document names answers. */
function explained(): string[] {
  const document = readFileSync(new URL('../../docs/compatibility.md', import.meta.url), 'utf8');
  return [...document.matchAll(/`([\w/-]+) (#\d+(?:-\d+)?(?:, #\d+(?:-\d+)?)*)`/g)].flatMap(([, scenario = '', numbers = '']) =>
    numbers.split(', ').flatMap((range) => {
      const [first = 0, last = first] = range.slice(1).split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => `${scenario} #${first + index}`);
    }),
  );
}

function recorded(): Set<string> {
  const scenarios = readdirSync(RECORDINGS).flatMap((file) => JSON.parse(readFileSync(new URL(file, RECORDINGS), 'utf8')) as Scenario[]);
  return new Set(scenarios.flatMap(({ id, steps }) => steps.filter(({ expect: want }) => want).map((_, index) => `${id} #${index + 1}`)));
}

// The suites check that each of them really differs.
describe('the known differences from the recordings', () => {
  test('are those explained in docs/compatibility.md', () => {
    expect(explained().sort()).toEqual(Object.keys(KNOWN_DIFFERENCES).sort());
  });

  test('name recorded answers', () => {
    const known = recorded();
    expect(Object.keys(KNOWN_DIFFERENCES).filter((answer) => !known.has(answer))).toEqual([]);
  });
});
