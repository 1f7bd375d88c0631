import { beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { ManualScheduler } from '../../../test/support/manual-scheduler.js';
import type { Announcement } from '../../storage/term-change.js';
import { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import { DoneAnnouncements, LapseAnnouncer } from './lapse-announcer.js';
import { LeaseExpiryMetrics } from './lease-expiry-metrics.js';

describe('LapseAnnouncer', () => {
  let scheduler: ManualScheduler;
  let queue: Announcement[];
  let asked: string[];
  /** The calls under way. */
  let calls: { readonly resolve: () => void; readonly reject: (error: Error) => void }[];
  let closed: boolean;
  let announcer: LapseAnnouncer;

  beforeEach(() => {
    scheduler = new ManualScheduler();
    [queue, asked, calls, closed] = [[{ id: 'a.1', term: '{}', attempts: 1 }], [], [], false];
    const told = (what: string) => (id: string) => Promise.resolve(void asked.push(`${what} ${id}`));
    const slow = {
      tell: () => new Promise<void>((resolve, reject) => calls.push({ resolve, reject })),
      close: () => {
        closed = true;
        for (const { reject } of calls) reject(new Error('closed'));
      },
    };
    const failing = { tell: () => Promise.reject(new Error('refused')), close: () => undefined };
    announcer = new LapseAnnouncer({
      announcements: {
        count: () => Promise.resolve(false),
        prolong: () => Promise.resolve(void asked.push('prolong')),
        claim: () => Promise.resolve(queue.splice(0)),
        done: (ids) => Promise.resolve(void asked.push(`done ${ids.join()}`)),
        postpone: told('postpone'),
        dropOld: () => Promise.resolve(0),
      },
      receivers: [slow, failing],
      metrics: new LeaseExpiryMetrics(new MetricRegistry()),
      scheduler,
      logger: pino({ level: 'silent' }),
    });
  });

  it('tries again only when all receivers have answered', async () => {
    announcer.start();
    await scheduler.pass(4_000);
    expect(asked).toEqual(['prolong']);
    calls[0]?.resolve();
    await scheduler.pass(0);
    expect(asked).toEqual(['prolong', 'postpone a.1']);
    await announcer.stop();
  });

  it('tells again only those that have to be told again', async () => {
    announcer.start();
    await scheduler.pass(0);
    calls[0]?.resolve();
    await scheduler.pass(1_000);
    queue = [{ id: 'a.1', term: '{}', attempts: 2 }];
    await scheduler.pass(5_000);
    expect([calls.length, asked.filter((what) => what.startsWith('postpone')).length]).toEqual([1, 2]);
    await announcer.stop();
  });

  it('waits for its receivers a moment when it stops, and leaves the rest to others', async () => {
    announcer.start();
    await scheduler.pass(0);
    let stopped = false;
    const stopping = announcer.stop().then(() => (stopped = true));
    await scheduler.pass(1_999);
    expect([stopped, closed]).toEqual([false, false]);
    await scheduler.pass(1);
    await stopping;
    expect([closed, asked.at(-1), scheduler.pending]).toEqual([true, 'postpone a.1', 0]);
  });

  it('does not start once it has stopped', async () => {
    await announcer.stop();
    announcer.start();
    await scheduler.pass(10_000);
    expect(asked).toEqual([]);
  });
});

describe('DoneAnnouncements', () => {
  it('has those that are done meanwhile forgotten together', async () => {
    const asked: { readonly ids: readonly string[]; readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
    const done = new DoneAnnouncements((ids) => new Promise((resolve, reject) => asked.push({ ids, resolve, reject })));
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const first = done.add('a');
    await turn();
    const others = [done.add('b'), done.add('c')];
    await turn();
    expect(asked.map(({ ids }) => ids)).toEqual([['a']]);
    asked[0]?.resolve();
    await first;
    await turn();
    expect(asked.map(({ ids }) => ids)).toEqual([['a'], ['b', 'c']]);
    asked[1]?.reject(new Error('away'));
    expect((await Promise.allSettled(others)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const last = done.add('d');
    await turn();
    asked[2]?.resolve();
    await last;
  });
});
