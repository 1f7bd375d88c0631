import { beyondBounds, cpuBudget, retainedBudget } from './cost-bounds.js';

const work = { bytes: 135_000, connections: 1, requests: 100, writes: 10 };
const cost = { cpuMicros: 0, retained: 0, left: 0, victimP99Ms: 5, victimErrors: 0, baselineP99Ms: 5 };
const bound = { floorMs: 100 };

test('costs within their budget are not reported', () => {
  expect(beyondBounds(work, { ...cost, cpuMicros: cpuBudget(work), retained: retainedBudget(work) }, bound)).toEqual([]);
});

test('each cost has its bound, and is reported per byte of the attacker', () => {
  const found = beyondBounds(
    work,
    { cpuMicros: 1_000_000, retained: 50_000_000, left: 20_000_000, victimP99Ms: 900, victimErrors: 2, baselineP99Ms: 5, death: 'killed' },
    bound,
  );
  expect(found).toEqual([
    'the server ended: killed',
    'CPU 1000000 us (7.4 per byte), more than 284100',
    'retained 50000000 bytes (370 per byte), more than 7996456',
    'left behind 20000000 bytes (150 per byte), more than 8388608',
    'p99 of the innocent client 900 ms, 180 times that of its baseline',
    '2 errors of the innocent client',
  ]);
});

test('latency is compared with its baseline, and counts only above a floor', () => {
  expect(beyondBounds(work, { ...cost, victimP99Ms: 101, baselineP99Ms: 10 }, bound)).toEqual([]);
  expect(beyondBounds(work, { ...cost, victimP99Ms: 99, baselineP99Ms: 1 }, bound)).toEqual([]);
});

test('memory allowed per byte is limited by the windows of a connection', () => {
  const much = { ...work, bytes: 100_000_000 };
  expect(retainedBudget({ ...much, connections: 2 }) - retainedBudget(much)).toBe(13_300_000);
});
