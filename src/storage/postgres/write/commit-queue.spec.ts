import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { ManualScheduler, settle } from '../../../../test/support/manual-scheduler.js';
import type { BatchSender } from './batch-sender.js';
import type { BatchResult } from './batch-statement.js';
import { type CommitQueueReads, CommitQueue } from './commit-queue.js';
import type { PendingWrite } from './pending-write.js';

/** A queue whose batches are committed when a test says so, and a log of what it does. */
class Fixture {
  readonly log: string[] = [];
  readonly #commits: (() => void)[] = [];
  readonly #queue: CommitQueue;
  #revision = 0;

  constructor() {
    const sender = { open: () => Promise.resolve(), close: () => Promise.resolve(), send: (batch: PendingWrite[]) => this.#send(batch) };
    const options = { limits: { items: 2, bytes: 1_000_000 }, writeRetryMs: 1_000, commitDelayMs: 0, onUnclear: () => undefined };
    const unused = {} as CommitQueueReads;
    this.#queue = new CommitQueue(sender as unknown as BatchSender, unused, options, new ManualScheduler(), pino({ enabled: false }));
    this.#queue.onCommitted(({ events }) => this.log.push(`tell ${events.map(({ object }) => object.key.name).join(' ')}`));
  }

  async write(...names: string[]): Promise<void> {
    for (const name of names) {
      const key = { resource: 'leases', namespace: 'default', name };
      void this.#queue.submit({ kind: 'A', key, value: { uid: name, data: '{}', terminating: false } });
    }
    await settle();
  }

  async commit(): Promise<void> {
    this.#commits.shift()?.();
    await settle();
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  #send(batch: PendingWrite[]): Promise<BatchResult> {
    this.log.push(`send ${batch.map(({ key }) => key.name).join(' ')}`);
    const base = this.#revision;
    this.#revision += batch.length;
    const result: BatchResult = { base, last: this.#revision, applied: () => true, sequels: [] };
    return new Promise((resolve) => this.#commits.push(() => resolve(result)));
  }
}

describe('CommitQueue', () => {
  it('sends waiting writes before it reports a commit', async () => {
    const queue = new Fixture();
    await queue.write('a', 'b', 'c', 'd');
    await queue.commit();
    expect(queue.log).toEqual(['send a b', 'send c d', 'tell a b']);
    await queue.commit();
    expect(queue.log.slice(3)).toEqual(['tell c d']);
    await queue.close();
  });

  it('has reported every outcome once it is closed', async () => {
    const queue = new Fixture();
    await queue.write('a', 'b', 'c');
    const closed = queue.close();
    await queue.commit();
    await queue.commit();
    await closed;
    expect(queue.log).toEqual(['send a b', 'send c', 'tell a b', 'tell c']);
  });
});
