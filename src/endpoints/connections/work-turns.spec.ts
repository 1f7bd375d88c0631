import type { Worker } from './work-turns.js';
import { inTurns, PIECES_PER_TURN, WorkTurns } from './work-turns.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Works off so many pieces, and notes each. */
function worker(turns: WorkTurns, name: string, pieces: number, done: string[]): Worker {
  let left = pieces;
  const self: Worker = {
    goOn() {
      for (; left > 0 && turns.take(self); left--) done.push(name);
    },
  };
  self.goOn();
  return self;
}

const count = (done: readonly string[], name: string): number => done.filter((each) => each === name).length;

test('however much there is to do, a turn takes a bounded number of pieces, and all is done in the end', async () => {
  const turns = new WorkTurns();
  const done: string[] = [];
  for (let i = 0; i < 20; i++) worker(turns, `worker ${i}`, 100, done);
  expect(done.length).toBe(PIECES_PER_TURN);
  while (done.length < 2000) {
    const before = done.length;
    await turn();
    expect(done.length - before).toBe(Math.min(PIECES_PER_TURN, 2000 - before));
  }
});

test('one with much to do does not hold up one with little', async () => {
  const turns = new WorkTurns();
  const done: string[] = [];
  for (let i = 0; i < 5; i++) worker(turns, 'much', 6000, done);
  worker(turns, 'little', 1, done);
  await turn();
  expect(count(done, 'little')).toBe(1);
});

test('those who wait go on side by side', async () => {
  const turns = new WorkTurns();
  const done: string[] = [];
  for (const name of ['a', 'b', 'c']) worker(turns, name, 1000, done);
  for (let i = 0; i < 4; i++) await turn();
  expect(count(done, 'c')).toBeGreaterThan(0.6 * count(done, 'a'));
});

test('pieces that are there at once are done at once, up to what a connection gets in a row', () => {
  const done: number[] = [];
  inTurns(
    new WorkTurns(),
    Array.from({ length: 64 }, (_, at) => at),
    (item) => done.push(item),
  );
  expect(done).toHaveLength(64);
});
