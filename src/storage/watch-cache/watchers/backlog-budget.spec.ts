import { type Debtor, BacklogBudget } from './backlog-budget.js';

class TestWatcher implements Debtor {
  unsent = 0;
  ended = false;

  owe(bytes: number, budget: BacklogBudget): void {
    this.unsent += bytes;
    budget.change(bytes);
  }

  end(): void {
    this.ended = true;
  }
}

test('it is tight above half of the budget, and closes the slowest watcher above all of it', () => {
  const watchers = [new TestWatcher(), new TestWatcher(), new TestWatcher()] as const;
  const budget = new BacklogBudget(watchers, 100);
  watchers[0].owe(20, budget);
  watchers[1].owe(30, budget);
  expect(budget.tight).toBe(false);
  watchers[2].owe(10, budget);
  expect(budget.tight).toBe(true);
  watchers[0].owe(40, budget);
  expect(watchers.map(({ ended }) => ended)).toEqual([false, false, false]);
  watchers[1].owe(1, budget);
  expect(watchers.map(({ ended }) => ended)).toEqual([true, false, false]);
});

test('delivered bytes are released', () => {
  const watcher = new TestWatcher();
  const budget = new BacklogBudget([watcher], 100);
  watcher.owe(90, budget);
  watcher.owe(-90, budget);
  expect([budget.total, budget.tight]).toEqual([0, false]);
});
