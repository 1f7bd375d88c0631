import { LEAST_PIECES, MAX_PIECES, TurnLimit } from './turn-limit.js';

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
