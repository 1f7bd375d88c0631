import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { ManualScheduler } from '../../../test/support/manual-scheduler.js';
import { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import { type HandleItem, QueueMetrics, RetryQueue } from './retry-queue.js';

function fixture(handle: HandleItem<string>) {
  const scheduler = new ManualScheduler();
  const starts: string[] = [];
  const queue = new RetryQueue<string>({
    scheduler,
    logger: pino({ enabled: false }),
    handle: (item) => {
      starts.push(`${item}@${scheduler.now()}`);
      return handle(item);
    },
  });
  return { scheduler, starts, queue };
}

describe('a queue of work by key', () => {
  it('handles the newest item of each key', async () => {
    const { scheduler, starts, queue } = fixture(() => Promise.resolve(undefined));
    queue.add('k', 'old');
    queue.add('k', 'new');
    queue.add('l', 'other');
    await scheduler.pass(60_000);
    expect(starts).toEqual(['new@0', 'other@0']);
  });

  it('handles one item per key at a time, and once more if one was added meanwhile', async () => {
    let finish: (() => void) | undefined;
    const { scheduler, starts, queue } = fixture((item) =>
      item === 'slow' ? new Promise((resolve) => (finish = () => resolve(undefined))) : Promise.resolve(undefined),
    );
    queue.add('k', 'slow');
    await scheduler.pass(0);
    queue.add('k', 'b');
    queue.add('k', 'c');
    queue.add('l', 'd');
    await scheduler.pass(1000);
    expect(starts).toEqual(['slow@0', 'd@0']);
    finish?.();
    await scheduler.pass(1000);
    expect(starts).toEqual(['slow@0', 'd@0', 'c@1000']);
  });

  it('handles a key again after the returned delay, or at once when it is added', async () => {
    const { scheduler, starts, queue } = fixture(() => Promise.resolve(5000));
    queue.add('k', 'a');
    await scheduler.pass(5000);
    queue.add('k', 'a');
    await scheduler.pass(4000);
    expect(starts).toEqual(['a@0', 'a@5000', 'a@5000']);
  });

  it('retries failures with increasing delays of up to half a minute', async () => {
    const { scheduler, starts, queue } = fixture(() => Promise.reject(new Error('away')));
    queue.add('k', 'a');
    await scheduler.pass(100_000);
    expect(starts.map((start) => Number(start.split('@')[1]))).toEqual([0, 250, 750, 1750, 3750, 7750, 15_750, 31_750, 61_750, 91_750]);
  });

  it('stops after the work in progress has ended', async () => {
    let finish: (() => void) | undefined;
    const { scheduler, starts, queue } = fixture(() => new Promise((resolve) => (finish = () => resolve(0))));
    queue.add('k', 'a');
    await scheduler.pass(0);
    const stopped = queue.stop();
    queue.add('k', 'b');
    finish?.();
    await stopped;
    await scheduler.pass(60_000);
    expect(starts).toEqual(['a@0']);
  });

  it('counts additions, retries, waiting items and work', async () => {
    const scheduler = new ManualScheduler();
    const registry = new MetricRegistry();
    const { observe } = new QueueMetrics(registry, () => scheduler.now());
    let failures = 1;
    const handle = (): Promise<undefined> => (failures-- > 0 ? Promise.reject(new Error('not yet')) : Promise.resolve(undefined));
    const queue = new RetryQueue<string>({ handle, scheduler, logger: pino({ enabled: false }), observer: observe('q') });
    queue.add('a', 'a');
    await scheduler.pass(1000);
    await queue.stop();
    const text = await registry.text();
    expect(text).toContain('workqueue_adds_total{name="q"} 1\n');
    expect(text).toContain('workqueue_retries_total{name="q"} 1\n');
    expect(text).toContain('workqueue_depth{name="q"} 0\n');
    expect(text).toContain('workqueue_work_duration_seconds_count{name="q"} 2\n');
    expect(text).toContain('workqueue_unfinished_work_seconds{name="q"} 0\n');
  });
});
