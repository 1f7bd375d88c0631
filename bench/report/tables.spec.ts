import { markdownMatrix, markdownTable } from './markdown-table.js';
import { numberText } from './number-text.js';
import { replaceSection } from './replace-section.js';
import type { ScenarioResult } from './scenario-result.js';
import { summaryOf } from './summary.js';

const result: ScenarioResult = {
  scenario: 'renew-64',
  load: 'renewals/s, 64 clients',
  figure: 'renewals/s',
  better: 'more',
  seconds: 6,
  generator: 'leaseload',
  measuredAt: '2026-01-01T00:00:00Z',
  commit: 'abc',
  machine: { cores: 2, processor: 'p', memoryGiB: 8, kernel: 'Linux', node: 'v24' },
  durability: [],
  entrants: [
    { name: 'there', rounds: [{ 'renewals/s': 100, 'p99 ms': 9 }, { 'renewals/s': 200 }] },
    { name: 'here', rounds: [{ 'renewals/s': 500, 'p99 ms': 3, errors: 2 }, { 'renewals/s': 600 }] },
  ],
};

it('summarizes a scenario by medians, range and the median of the ratios of rounds', () => {
  const [title, header, there, here] = summaryOf(result).split('\n');
  expect(title).toBe('renew-64: renewals/s, 64 clients (2 x 6 s, leaseload)');
  expect(header).toContain('ratio (renewals/s)');
  expect(there).toContain('150 (100-200)');
  expect(here).toContain('4.00 (3.00-5.00)');
});

it('shows errors beside the rate that they make doubtful', () => {
  expect(markdownTable([result])).toContain('| here | 550 (500-600), 2 errors |');
});

it('leaves out columns that no entrant has a figure for', () => {
  expect(markdownTable([result]).split('\n')[0]).toBe('| load | server | median (range) | p50/p99 ms | ratio |');
});

it('writes a matrix of loads and entrants', () => {
  expect(markdownMatrix([result]).split('\n').slice(2)).toEqual(['| renewals/s, 64 clients | 150 / 9 | 550 / 3 |']);
});

it.each([
  [6543.21, '6,543'],
  [12.345, '12.3'],
  [0.5678, '0.57'],
  [7, '7'],
])('writes %d as %s', (value, text) => {
  expect(numberText(value)).toBe(text);
});

describe('replaceSection', () => {
  it('replaces the text between the marks and keeps the marks', () => {
    const text = 'a\n<!-- x -->\nold\n<!-- /x -->\nb';
    expect(replaceSection(text, 'x', 'new')).toBe('a\n<!-- x -->\n\nnew\n\n<!-- /x -->\nb');
  });

  it('refuses a text without the section', () => {
    expect(() => replaceSection('a', 'x', 'new')).toThrow('no section x');
  });
});
