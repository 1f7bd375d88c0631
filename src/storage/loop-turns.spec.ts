import { LoopTurns } from './loop-turns.js';

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

test('in each turn of the event loop, portions run for a few milliseconds, in order', async () => {
  let now = 0;
  const turns = new LoopTurns(() => now);
  const ran: string[] = [];
  const portion = (name: string, ms: number) =>
    turns.run(() => {
      ran.push(name);
      now += ms;
    });
  portion('a', 2);
  portion('b', 2);
  portion('c', 2);
  portion('d', 100);
  turns.run(() => portion('f', 1));
  portion('e', 1);
  expect(ran).toEqual([]);
  await turn();
  expect(ran).toEqual(['a', 'b', 'c']);
  await turn();
  expect(ran).toEqual(['a', 'b', 'c', 'd']);
  await turn();
  await turn();
  expect(ran).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});

test('work answers its result, or what it throws', async () => {
  const turns = new LoopTurns();
  await expect(turns.do(() => 7)).resolves.toBe(7);
  await expect(
    turns.do(() => {
      throw new TypeError('no');
    }),
  ).rejects.toThrow(TypeError);
});
