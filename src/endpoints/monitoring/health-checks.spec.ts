import { RecentCheck } from './health-checks.js';

let nowMs = 0;
let runs: { resolve: () => void; reject: (error: Error) => void }[] = [];
beforeEach(() => ([nowMs, runs] = [0, []]));

const asked = (): RecentCheck =>
  new RecentCheck(
    { name: 'database', on: ['readyz'], check: () => new Promise((resolve, reject) => runs.push({ resolve, reject })) },
    () => nowMs,
  );

test('concurrent requests share one check, however long it takes', async () => {
  const check = asked();
  const first = check.check();
  nowMs = 5000;
  const second = check.check();
  expect(runs).toHaveLength(1);
  runs[0]?.resolve();
  await Promise.all([first, second]);
});

test('a result is reused for a quarter of a second, whether success or failure', async () => {
  const check = asked();
  const first = check.check();
  runs[0]?.reject(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  nowMs = 249;
  await expect(check.check()).rejects.toThrow('gone');
  nowMs = 250;
  const next = check.check();
  expect(runs).toHaveLength(2);
  runs[1]?.resolve();
  await next;
  nowMs = 499;
  await check.check();
  expect(runs).toHaveLength(2);
});
