import { LineBudget } from './line-budget.js';

test('each second has a budget of lines, and the next line reports how many were suppressed', () => {
  const budget = new LineBudget(2);
  expect([budget.take(0), budget.take(10), budget.take(20), budget.take(999)]).toEqual([0, 0, undefined, undefined]);
  expect([budget.take(1000), budget.take(1001)]).toEqual([2, 0]);
});
