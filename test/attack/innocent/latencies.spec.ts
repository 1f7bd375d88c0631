import { Latencies } from './latencies.js';

test('quantiles, errors and unanswered requests are reported separately for each period', async () => {
  let now = 0;
  const latencies = new Latencies(() => now);
  for (let ms = 1; ms <= 100; ms++) {
    await latencies.measure(() => {
      now += ms;
      return Promise.resolve();
    });
  }
  const failing = latencies.measure(() => Promise.reject(new Error('refused')));
  await expect(failing).rejects.toThrow('refused');
  let answer: () => void = () => undefined;
  const waiting = latencies.measure(() => new Promise<void>((resolve) => (answer = resolve)));
  now += 5000;
  expect(latencies.collect()).toEqual({ count: 102, p50: 51, p99: 100, max: 5000, errors: 1 });
  expect(latencies.pending).toBe(1);
  now += 1000;
  answer();
  await waiting;
  expect(latencies.collect()).toEqual({ count: 1, p50: 6000, p99: 6000, max: 6000, errors: 0 });
  expect(latencies.collect()).toEqual({ count: 0, p50: 0, p99: 0, max: 0, errors: 0 });
});
