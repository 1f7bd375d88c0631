import { RestartDelay, whenAnswered, whenReady } from './backoff.js';

test('the delay doubles while processes end early, and is reset once one has run for long', () => {
  const delay = new RestartDelay();
  expect([0, 0, 5000].map((servedMs) => delay.after(servedMs))).toEqual([100, 200, 400]);
  for (let times = 0; times < 10; times++) delay.after(0);
  expect(delay.after(0)).toBe(10_000);
  expect([60_000, 0].map((servedMs) => delay.after(servedMs))).toEqual([100, 200]);
});

const rejected = () => Promise.reject(new Error('later'));
const thrown = (): number => {
  throw new Error('now');
};
const text = (error: unknown) => (error as Error).message;

test('a value that is there is used at once, and a promised one later', async () => {
  expect(whenReady(1, (value) => value + 1)).toBe(2);
  const later = whenReady(Promise.resolve(1), (value) => value + 1);
  expect(later).toBeInstanceOf(Promise);
  expect(await later).toBe(2);
});

test('errors of an answer are handled whether it throws or rejects, those of the next step are not', async () => {
  expect(whenAnswered(thrown, String, text)).toBe('now');
  expect(await whenAnswered(rejected, String, text)).toBe('later');
  expect(() => whenAnswered(() => 1, thrown, text as never)).toThrow('now');
  await expect(whenAnswered(() => Promise.resolve(1), thrown, text as never)).rejects.toThrow('now');
});
