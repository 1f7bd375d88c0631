import { describe, expect, it } from '@jest/globals';
import type { KeyRange, StoreEvent } from '../../object-store.js';
import { type Debtor, type EventSink, BacklogBudget, Dispatcher } from './dispatcher.js';

const event = (resource: string, namespace: string, name: string): StoreEvent => ({
  type: 'ADDED',
  revision: 1,
  object: { key: { resource, namespace, name }, uid: '', data: '', terminating: false, revision: 1 },
});

class Sink implements EventSink {
  readonly offered: string[] = [];
  flushes = 0;

  constructor(readonly range: KeyRange) {}

  offer({ object: { key } }: StoreEvent): void {
    this.offered.push(`${key.namespace}/${key.name}`);
  }

  flush(): void {
    this.flushes++;
  }
}

describe('Dispatcher', () => {
  const events = [event('r', 'ns', 'a'), event('r', 'ns', 'b'), event('r', 'ns2', 'a'), event('other', 'ns', 'a'), event('r', '', 'ns')];

  it('offers an event only to sinks that select it, and flushes each of them once', () => {
    const dispatcher = new Dispatcher();
    const sinks = {
      all: new Sink({ resource: 'r' }),
      namespace: new Sink({ resource: 'r', namespace: 'ns' }),
      name: new Sink({ resource: 'r', namespace: 'ns', name: 'a' }),
      clusterScoped: new Sink({ resource: 'r', namespace: '', name: 'ns' }),
      missing: new Sink({ resource: 'r', namespace: 'ns', name: 'c' }),
    };
    for (const sink of Object.values(sinks)) dispatcher.add(sink);
    dispatcher.enqueue(events.slice(0, 2), 7);
    dispatcher.enqueue(events.slice(2), 9);
    expect(dispatcher.revision).toBe(0);
    dispatcher.run();
    expect(dispatcher.revision).toBe(9);
    expect(sinks.all.offered).toEqual(['ns/a', 'ns/b', 'ns2/a', '/ns']);
    expect(sinks.namespace.offered).toEqual(['ns/a', 'ns/b']);
    expect(sinks.name.offered).toEqual(['ns/a']);
    expect(sinks.clusterScoped.offered).toEqual(['/ns']);
    expect(sinks.missing.offered).toEqual([]);
    expect(Object.values(sinks).map(({ flushes }) => flushes)).toEqual([1, 1, 1, 1, 0]);
  });

  it('offers nothing to removed sinks', () => {
    const dispatcher = new Dispatcher();
    const ranges: KeyRange[] = [{ resource: 'r' }, { resource: 'r', namespace: 'ns' }, { resource: 'r', namespace: 'ns', name: 'a' }];
    const sinks = ranges.map((range) => new Sink(range));
    for (const sink of sinks) dispatcher.add(sink);
    for (const sink of sinks) dispatcher.remove(sink);
    dispatcher.enqueue(events, 1);
    dispatcher.run();
    expect(sinks.flatMap(({ offered }) => offered)).toEqual([]);
  });
});

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
