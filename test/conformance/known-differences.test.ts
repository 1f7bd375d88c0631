import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { KNOWN_DIFFERENCES } from './known-differences.js';
import type { Scenario } from './replay/recording.js';

const RECORDINGS = new URL('./recorded/', import.meta.url);

/** `scenario #1-3, #7` in backquotes, as the document names answers. */
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

// That each of them really differs is for the suites to say.
describe('the known differences from the recordings', () => {
  test('are those that docs/compatibility.md explains', () => {
    expect(explained().sort()).toEqual(Object.keys(KNOWN_DIFFERENCES).sort());
  });

  test('are about answers that were recorded', () => {
    const known = recorded();
    expect(Object.keys(KNOWN_DIFFERENCES).filter((answer) => !known.has(answer))).toEqual([]);
  });
});
