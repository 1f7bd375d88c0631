import { ManualScheduler } from '../../../test/support/manual-scheduler.js';
import type { AuditBackend } from './audit-backend.js';
import type { AuditEvent } from '../event/audit-event.js';
import { type BatchOptions, BufferedBackend } from './buffered-backend.js';

const event = (auditID: string) => ({ auditID }) as AuditEvent;
const ids = (events: readonly AuditEvent[]) => events.map(({ auditID }) => auditID).join('');

/** Accepts batches and finishes them when the test says so. */
class SlowBackend implements AuditBackend {
  readonly batches: string[] = [];
  readonly #finish: (() => void)[] = [];
  closed = false;

  process(events: readonly AuditEvent[]): Promise<boolean> {
    this.batches.push(ids(events));
    return new Promise((resolve) => this.#finish.push(() => resolve(true)));
  }

  finish(): void {
    for (const finish of this.#finish.splice(0)) finish();
  }

  close(): Promise<void> {
    this.closed = true;
    return Promise.resolve();
  }
}

function setUp(options: Partial<BatchOptions> = {}) {
  const scheduler = new ManualScheduler();
  const slow = new SlowBackend();
  const lost: string[] = [];
  const failures = {
    failed: (_plugin: string, reason: string, events: readonly AuditEvent[]) => void lost.push(`${ids(events)}: ${reason}`),
  };
  const all = { bufferSize: 5, maxBatchSize: 3, maxBatchWaitMs: 1000, maxSending: 10, ...options };
  const buffered = new BufferedBackend(slow, all, failures, scheduler);
  const send = (text: string) => [...text].forEach((id) => buffered.process([event(id)]));
  return { scheduler, slow, lost, buffered, send };
}

describe('a buffered backend', () => {
  it('sends full batches immediately, and a partial batch after the wait', async () => {
    const { scheduler, slow, send } = setUp();
    send('abcd');
    expect(slow.batches).toEqual(['abc']);
    await scheduler.pass(999);
    expect(slow.batches).toEqual(['abc']);
    await scheduler.pass(1);
    expect(slow.batches).toEqual(['abc', 'd']);
    send('e');
    await scheduler.pass(1000);
    expect(slow.batches).toEqual(['abc', 'd', 'e']);
  });

  it('never makes a request wait, and drops events that do not fit', () => {
    const { lost, slow, send, buffered } = setUp({ maxSending: 1 });
    send('abcdefgh');
    expect(slow.batches).toEqual(['abc']);
    expect(buffered.process([event('i')])).toBe(true);
    expect(lost).toEqual(['i: audit buffer queue blocked']);
  });

  it('sends the next batch as soon as one is done', async () => {
    const { scheduler, slow, send } = setUp({ maxSending: 1 });
    send('abcdef');
    slow.finish();
    await scheduler.pass(0);
    expect(slow.batches).toEqual(['abc', 'def']);
  });

  it('keeps to its rate, and allows a burst after a pause', async () => {
    const { scheduler, slow, send } = setUp({ maxBatchSize: 1, throttle: { qps: 10, burst: 2 } });
    send('abcd');
    expect(slow.batches).toEqual(['a', 'b']);
    await scheduler.pass(100);
    expect(slow.batches).toEqual(['a', 'b', 'c']);
    await scheduler.pass(100);
    expect(slow.batches).toEqual(['a', 'b', 'c', 'd']);
    await scheduler.pass(10_000);
    send('efg');
    expect(slow.batches.slice(4)).toEqual(['e', 'f']);
  });

  it('sends a throttled full batch without waiting for a partial one', async () => {
    const { scheduler, slow, send } = setUp({ throttle: { qps: 10, burst: 1 } });
    send('abcd');
    send('ef');
    await scheduler.pass(100);
    expect(slow.batches).toEqual(['abc', 'def']);
  });

  it('sends everything when it is closed, and accepts nothing more', async () => {
    const { slow, send, lost, buffered } = setUp();
    send('ab');
    const closing = buffered.close();
    expect(slow.batches).toEqual(['ab']);
    send('c');
    expect(lost).toEqual(['c: audit backend shut down']);
    slow.finish();
    await closing;
    expect(slow.closed).toBe(true);
  });
});
