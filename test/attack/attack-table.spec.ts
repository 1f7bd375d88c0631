import type { AttackResult } from './attack-result.js';
import { attackTable } from './attack-table.js';

const latencies = { count: 20, p50: 2, p99: 9.5, max: 20, errors: 0 };
const victim = { requests: latencies, newcomers: { ...latencies, errors: 3 }, longestGapMs: 210, errors: ['429 too\nmany'] };
const result: AttackResult = {
  attack: 'a + b',
  seconds: 10,
  bytesSent: 12_000,
  bytesReceived: 5,
  connections: 8,
  baseline: latencies,
  victim,
  afterwards: victim,
  leasesLost: 0,
  notes: { 'streams reset': 7 },
  failures: ['no renewal'],
};

test('the table has figures, failures and notes of an attack, and empty cells for what is unknown of an external server', () => {
  const [, , row, , ...rest] = attackTable([result]).split('\n');
  const cells = ['a + b', '12000', '8', '', '', '', '', '', '', '2 / 9.5 / 20', '2 / 9.5 / 20', '0', '3 of 20', '210', '0', 'lives'];
  expect(row).toBe(`| ${cells.join(' | ')} |`);
  expect(rest).toEqual(['a + b:', '- FAILED: no renewal', '- streams reset: 7', '- the innocent client was told: 429 too many', '']);
});

test('the table has CPU and memory of a known process', () => {
  const memory = { before: 170.4, peak: 300.2, end: 250.6, later: 200 };
  const row = attackTable([{ ...result, cpuSeconds: 1.234, cpuMicrosPerByte: 0.0567, memory, death: 'killed' }]).split('\n')[2];
  expect(row).toContain('| 1.23 | 0.057 | 170 | 300 | 251 | 200 |');
  expect(row).toContain('| dead |');
});
