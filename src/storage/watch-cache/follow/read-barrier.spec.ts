import { describe, expect, it } from '@jest/globals';
import { ManualScheduler, settle } from '../../../../test/support/manual-scheduler.js';
import { ReadBarrier } from './read-barrier.js';

describe('ReadBarrier', () => {
  const start = () => {
    const scheduler = new ManualScheduler();
    const seen: string[] = [];
    let requests = 0;
    const barrier = new ReadBarrier(scheduler, 1_000, () => requests++);
    const reader = (name: string) =>
      barrier.pass().then(
        () => seen.push(name),
        (error: Error) => seen.push(`${name}: ${error.message}`),
      );
    return { scheduler, barrier, reader, seen, requests: () => requests };
  };

  it('lets readers share a query that has not been sent, and requests it once', async () => {
    const { barrier, reader, seen, requests } = start();
    void reader('a');
    void reader('b');
    expect(requests()).toBe(1);
    for (const gate of barrier.take()) gate.open();
    await settle();
    expect(seen).toEqual(['a', 'b']);
  });

  it('makes a reader that arrives after a query was sent wait for the next one', async () => {
    const { barrier, reader, seen, requests } = start();
    void reader('early');
    const sent = barrier.take();
    void reader('late');
    for (const gate of sent) gate.open();
    await settle();
    expect(seen).toEqual(['early']);
    expect(requests()).toBe(2);
    for (const gate of barrier.take()) gate.open();
    await settle();
    expect(seen).toEqual(['early', 'late']);
  });

  it('keeps readers of a failed query for the next one', async () => {
    const { barrier, reader, seen } = start();
    void reader('a');
    barrier.giveBack(barrier.take(), new Error('down'));
    void reader('b');
    await settle();
    expect(seen).toEqual([]);
    for (const gate of barrier.take()) gate.open();
    await settle();
    expect(seen).toEqual(['a', 'b']);
  });

  it('rejects readers when their own time is over', async () => {
    const { scheduler, barrier, reader, seen } = start();
    void reader('first');
    barrier.giveBack(barrier.take(), new Error('down'));
    await scheduler.pass(600);
    void reader('second');
    await scheduler.pass(600);
    expect(seen).toEqual(['first: the database did not answer in time']);
    for (const gate of barrier.take()) gate.open();
    await settle();
    expect(seen).toHaveLength(2);
    expect(seen[1]).toBe('second');
  });

  it('rejects all readers once it is closed', async () => {
    const { barrier, reader, seen } = start();
    void reader('waiting');
    const sent = barrier.take();
    void reader('next');
    barrier.close();
    void reader('late');
    barrier.giveBack(sent, new Error('ended'));
    await settle();
    expect(seen.sort()).toEqual(['late: the store is closed', 'next: the store is closed', 'waiting: the store is closed']);
  });
});
