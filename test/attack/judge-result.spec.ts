import type { AttackResult } from './attack-result.js';
import { judge } from './judge-result.js';

const latencies = { count: 200, p50: 2, p99: 9, max: 20, errors: 0 };
const victim = { requests: latencies, newcomers: latencies, longestGapMs: 200, errors: [] };
const good: Omit<AttackResult, 'failures'> = {
  attack: 'x',
  seconds: 10,
  bytesSent: 1000,
  bytesReceived: 0,
  connections: 1,
  memory: { before: 100, peak: 200, end: 150, later: 120 },
  baseline: latencies,
  victim,
  afterwards: victim,
  leasesLost: 0,
  notes: {},
};
const bounds = { maxP99Ms: 100, maxRssMiB: 300, memoryMiB: 512 };

test('a server that meets all bounds has no failures', () => {
  expect(judge(good, bounds)).toEqual([]);
});

test('death, lost leases, late or refused responses and excess memory are failures', () => {
  const slow = { ...latencies, p99: 101, errors: 2 };
  const result = {
    ...good,
    death: 'ended with SIGKILL',
    leasesLost: 1,
    memory: { before: 100, peak: 600, end: 301, later: 301 },
    victim: { requests: slow, newcomers: { ...latencies, errors: 1 }, longestGapMs: 10_001, errors: ['429'] },
  };
  expect(judge(result, bounds)).toEqual([
    'the server ended: ended with SIGKILL',
    'the election holder lost its lease 1 times',
    'no renewal for 10001 ms',
    'p99 of the innocent client 101 ms is above 100 ms',
    '2 errors of the innocent client: 429',
    '1 of 200 newcomers were turned away',
    'RSS 301 MiB is above 300 MiB',
    'RSS was 600 MiB at its highest, above 512 MiB',
  ]);
});

test('a bound of zero is no bound', () => {
  const result = { ...good, victim: { ...victim, requests: { ...latencies, p99: 9000 } } };
  expect(judge(result, { maxP99Ms: 0, maxRssMiB: 0, memoryMiB: 0 })).toEqual([]);
});
