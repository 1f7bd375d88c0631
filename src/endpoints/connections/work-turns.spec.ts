import { type Worker, LEAST_PIECES, MAX_PIECES, TurnLimit, WorkTurns, inTurns } from './work-turns.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Turns on a clock that only work advances: each piece takes `msPerPiece`. */
function turnsOf(msPerPiece: number) {
  let now = 0;
  const done: string[] = [];
  const work = (name: string): void => {
    now += msPerPiece;
    done.push(name);
  };
  return { turns: new WorkTurns(() => now), done, work };
}

/** A worker that does a number of pieces and records each. */
function start({ turns, work }: ReturnType<typeof turnsOf>, name: string, pieces: number, owner?: object): void {
  let left = pieces;
  const self: Worker = {
    owner,
    goOn() {
      for (; left > 0 && turns.take(self); left--) work(name);
    },
  };
  self.goOn();
}

const count = (done: readonly string[], name: string): number => done.filter((each) => each === name).length;

/** Returns the number of pieces done in each turn until `all` are done. */
async function perTurn(done: readonly string[], all: number): Promise<number[]> {
  const counts = [done.length];
  for (let before = done.length; before < all; before = done.length) {
    await turn();
    counts.push(done.length - before);
  }
  return counts;
}

test('cheap work: no turn starts more than 128 pieces, and all are done in the end', async () => {
  const host = turnsOf(0);
  for (let i = 0; i < 20; i++) start(host, `worker ${i}`, 100);
  const counts = await perTurn(host.done, 2000);
  expect(Math.max(...counts)).toBe(MAX_PIECES);
});

test('turns get shorter with expensive work, down to 10 ms', async () => {
  const host = turnsOf(0.5);
  for (let i = 0; i < 20; i++) start(host, `worker ${i}`, 100);
  const counts = await perTurn(host.done, 2000);
  expect(new Set(counts.slice(5, -1))).toEqual(new Set([20]));
});

test('very expensive work: a turn still starts 8 pieces', async () => {
  const host = turnsOf(50);
  for (let i = 0; i < 20; i++) start(host, `worker ${i}`, 100);
  const counts = await perTurn(host.done, 2000);
  expect(new Set(counts.slice(5, -1))).toEqual(new Set([LEAST_PIECES]));
});

test('one connection does not fill a turn: others that arrive later in the same turn start immediately', () => {
  const host = turnsOf(0);
  start(host, 'much', 6000);
  start(host, 'little', 1);
  expect(count(host.done, 'little')).toBe(1);
});

test('waiting workers take two pieces at a time, so that a small job is done in the next turn', async () => {
  const host = turnsOf(50);
  start(host, 'warm up', 300);
  while (count(host.done, 'warm up') < 300) await turn();
  host.done.length = 0;
  for (let i = 0; i < 3; i++) start(host, 'much', 6000);
  start(host, 'little', 1);
  expect(count(host.done, 'little')).toBe(0);
  await turn();
  expect(count(host.done, 'little')).toBe(1);
});

test('waiting workers share turns evenly', async () => {
  const host = turnsOf(0.5);
  const names = ['a', 'b', 'c'];
  for (const name of names) start(host, name, 1000);
  for (let i = 0; i < 40; i++) await turn();
  const [least, most] = [Math.min, Math.max].map((of) => of(...names.map((name) => count(host.done, name))));
  expect(least).toBeGreaterThan(100);
  expect(most! - least!).toBeLessThan(40);
});

test('inTurns does every item once and in order', async () => {
  const host = turnsOf(1);
  const items = Array.from({ length: 500 }, (_, at) => String(at));
  inTurns(host.turns, items, host.work);
  await perTurn(host.done, items.length);
  expect(host.done).toEqual(items);
});

test('an owner with many connections does not delay one with few', async () => {
  const host = turnsOf(100);
  const [many, one] = [{}, {}];
  for (let i = 0; i < 200; i++) start(host, 'many', 10, many);
  start(host, 'one', 10, one);
  for (let turns = 0; turns < 6; turns++) await turn();
  expect(count(host.done, 'one')).toBe(10);
});

/** Runs turns that are always full and whose pieces take `msPerPiece` each; returns the length of each turn. */
function run(limit: TurnLimit, msPerPiece: number, turns: number): number[] {
  return Array.from({ length: turns }, () => {
    const ms = limit.pieces * msPerPiece;
    limit.observe(ms, true);
    return ms;
  });
}

test('expensive pieces lower the limit until turns take 10 ms, and cheap ones raise it to the maximum', () => {
  const limit = new TurnLimit();
  expect(run(limit, 0.4, 10).at(-1)).toBeCloseTo(10, 0);
  expect(limit.pieces).toBe(25);
  run(limit, 0.01, 10);
  expect(limit.pieces).toBe(MAX_PIECES);
});

test('the limit stays within its bounds however long turns take', () => {
  const limit = new TurnLimit();
  run(limit, 1000, 20);
  expect(limit.pieces).toBe(LEAST_PIECES);
  run(limit, 0, 20);
  expect(limit.pieces).toBe(MAX_PIECES);
});

test('a single long turn at most halves the limit', () => {
  const limit = new TurnLimit();
  run(limit, 0.01, 10);
  limit.observe(5000, false);
  expect(limit.pieces).toBe(MAX_PIECES / 2);
});

test('short turns with little to do leave the limit unchanged', () => {
  const limit = new TurnLimit();
  run(limit, 1000, 20);
  for (let turn = 0; turn < 100; turn++) limit.observe(0.1, false);
  expect(limit.pieces).toBe(LEAST_PIECES);
});
