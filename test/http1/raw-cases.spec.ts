import { readFileSync } from 'node:fs';
import { RAW_CASES } from './cases.js';
import { DECLARED_RAW } from './declared-raw-differences.js';
import { judge } from './compare-raw.js';

const compatibility = readFileSync(new URL('../../docs/compatibility.md', import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');

test('there are more than 150 conversations, each under its own name', () => {
  const names = RAW_CASES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(150);
});

test.each(DECLARED_RAW.map((each) => [each.documented, each] as const))('declared: %s', (documented, { cases }) => {
  expect(compatibility).toContain(documented);
  const names = RAW_CASES.map(({ name }) => name);
  expect(cases.filter((name) => !names.includes(name))).toEqual([]);
});

test('a difference counts as declared in the cases and with the outcomes that the rule names', () => {
  const refused = 'HTTP/1.1 400 Bad Request | connection: close | content-type: text/plain; charset=utf-8 | "400 Bad Request" ; closed';
  const folded = { name: 'header: folded', upstream: 'HTTP/1.1 200 OK | a document ; open', ours: refused };
  expect(judge(folded)).toBe('declared');
  expect(judge({ ...folded, name: 'header: two tokens' })).toBe('undeclared');
  expect(judge({ ...folded, ours: 'closed' })).toBe('undeclared');
  expect(judge({ ...folded, upstream: refused })).toBe('alike');
});
