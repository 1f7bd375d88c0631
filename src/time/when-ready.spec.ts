import { whenAnswered, whenReady } from './when-ready.js';

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
