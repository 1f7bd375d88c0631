import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { ManualScheduler } from '../../../test/support/manual-scheduler.js';
import { WatchedMemoryStore } from '../../../test/support/watched-memory-store.js';
import { EventExpiryReconciler } from './event-expiry.reconciler.js';

const HOUR = 3_600_000;
const START = Date.parse('2026-01-01T12:00:00Z');

describe('the time to live of events', () => {
  let objects: WatchedMemoryStore;
  let scheduler: ManualScheduler;
  let controller: EventExpiryReconciler;
  let now: number;

  const text = (time: number) => new Date(time).toISOString().replace('.000Z', 'Z');
  const value = (created: number, writes: readonly number[] = []) => ({
    uid: 'u',
    terminating: false,
    data: JSON.stringify({ metadata: { creationTimestamp: text(created), managedFields: writes.map((time) => ({ time: text(time) })) } }),
  });
  const key = (name: string) => ({ resource: 'events', namespace: 'ns', name });
  const names = async (resource = 'events') => {
    const list = await objects.list({ resource }, { consistency: { kind: 'latest' } });
    return list.objects.map((object) => object.key.name);
  };
  const pass = async (ms: number) => {
    now += ms;
    await scheduler.pass(ms);
  };

  beforeEach(async () => {
    now = START;
    objects = new WatchedMemoryStore();
    scheduler = new ManualScheduler();
    controller = new EventExpiryReconciler({ objects, ttlMs: HOUR, scheduler, logger: pino({ enabled: false }), now: () => now });
    await controller.start();
  });
  afterEach(() => controller.stop());

  it('deletes events an hour after they were written, and no other objects', async () => {
    await objects.create(key('a'), value(START));
    await objects.create({ ...key('lease'), resource: 'leases.coordination.k8s.io' }, value(START));
    await pass(HOUR - 60_000);
    expect(await names()).toEqual(['a']);
    await pass(90_000);
    expect(await names()).toEqual([]);
    expect(await names('leases.coordination.k8s.io')).toEqual(['lease']);
  });

  it('counts from the last write', async () => {
    await objects.create(key('a'), value(START, [START + HOUR / 2]));
    await pass(HOUR + 60_000);
    expect(await names()).toEqual(['a']);
    await pass(HOUR / 2);
    expect(await names()).toEqual([]);
  });

  it('ignores times in the future', async () => {
    await objects.create(key('a'), value(START, [START + 1000 * HOUR]));
    await pass(HOUR + 60_000);
    expect(await names()).toEqual([]);
  });

  it('deletes more than one batch', async () => {
    for (let at = 0; at < 200; at++) await objects.create(key(`e-${at}`), value(START));
    now += HOUR;
    await controller.sweep();
    expect(await names()).toEqual([]);
  });

  it('keeps an event that is written during the check', async () => {
    const created = await objects.create(key('a'), value(START));
    const remove = objects.delete.bind(objects);
    objects.delete = async (current) => {
      await objects.update(created, value(START, [now]));
      return remove(current);
    };
    now += HOUR;
    await controller.sweep();
    expect(await names()).toEqual(['a']);
  });

  it('continues after the store fails', async () => {
    await objects.create(key('a'), value(START));
    const list = objects.list.bind(objects);
    objects.list = () => Promise.reject(new Error('no database'));
    await pass(HOUR + 60_000);
    objects.list = list;
    await pass(60_000);
    expect(await names()).toEqual([]);
  });
});
