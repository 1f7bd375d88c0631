import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { ManualScheduler } from '../../../test/support/manual-scheduler.js';
import { RegistryFixture, WRITE, leaseTarget, patch } from '../../../test/support/registry-fixture.js';
import { microTime } from '../../apimachinery/go/go-time.js';
import type { Lease } from '../../apis/coordination/lease/lease.schema.js';
import { type LapseChange, TERM_RESOURCE } from '../../storage/term-change.js';
import { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import { LeaseExpiryMetrics } from './lease-expiry-metrics.js';
import { DatabaseClock, LeaseExpiryReconciler } from './lease-expiry.reconciler.js';

describe('LeaseExpiryReconciler', () => {
  const HOUR = 3_600_000;
  const KEY = { resource: TERM_RESOURCE, namespace: 'ns', name: 'a.1' };

  /** The registry, the term of the one lease `a`, and a database whose answers a test decides. */
  class Database extends RegistryFixture {
    ahead = Date.parse('2026-01-02T03:04:05.000Z');
    readonly asked: boolean[] = [];
    answer: (change: LapseChange) => Promise<ReadonlySet<string>> = async ({ lapsed }) => {
      await this.mark(lapsed);
      return new Set(['ns/a']);
    };
    readonly reconciler = new LeaseExpiryReconciler({
      leases: this.leases,
      objects: this.memory,
      lapses: {
        clock: () => Promise.resolve(this.now),
        list: () => Promise.resolve(new Set()),
        change: (changes) => {
          this.asked.push(...changes.map(({ lapsed }) => lapsed));
          return this.answer(changes[0] as LapseChange) as Promise<Set<string>>;
        },
      },
      announcer: undefined,
      metrics: new LeaseExpiryMetrics(new MetricRegistry()),
      scheduler: this.scheduler,
      logger: pino({ level: 'silent' }),
    });

    get now(): number {
      return this.ahead + this.scheduler.now();
    }

    async mark(lapsed: boolean): Promise<void> {
      const { object } = await this.memory.get(KEY, { kind: 'latest' });
      const data = `{"status":{"phase":"Held"${lapsed ? ',"lapsed":true' : ''}}}`;
      const value = { uid: 'a', data, terminating: false };
      await (object ? this.memory.update(object, value) : this.memory.create(KEY, value));
      await this.scheduler.pass(0);
    }

    async renew(seconds: number): Promise<void> {
      this.nowMs = Math.floor(this.now);
      const spec = { holderIdentity: 'h', leaseDurationSeconds: seconds, renewTime: microTime(this.nowMs) };
      const source = patch<Lease>((live) => ({ ...live, spec }));
      await this.leases.update(this.context, leaseTarget('a'), source, WRITE);
      await this.scheduler.pass(0);
    }
  }

  let database: Database;
  beforeEach(async () => {
    database = new Database();
    await database.withNamespace();
    await database.createLease({ metadata: { name: 'a' } });
    await database.mark(false);
    await database.reconciler.start();
  });
  afterEach(() => database.reconciler.stop());

  it('marks leases that expired during an outage as soon as it is over, however long it took', async () => {
    const { answer } = database;
    database.answer = () => Promise.reject(new Error('away'));
    await database.renew(15);
    await database.scheduler.pass(60_000);
    database.answer = answer;
    const before = database.asked.length;
    await database.scheduler.pass(500);
    expect(database.asked.slice(before)).toEqual([true]);
  });

  it('believes what the terms have told later, not an answer that comes late', async () => {
    const { answer } = database;
    database.answer = async () => {
      await database.mark(true);
      await database.renew(15);
      await database.mark(false); // by another replica
      return new Set(['ns/a']);
    };
    await database.renew(15);
    await database.scheduler.pass(16_000);
    expect(database.asked).toEqual([true]);
    database.answer = answer;
    await database.scheduler.pass(16_000);
    expect(database.asked).toEqual([true, true]);
  });

  it("keeps judging at once after a mark of its own, even if the term's event follows the answer", async () => {
    const told: Promise<void>[] = [];
    database.answer = ({ lapsed }) => {
      told.push(database.scheduler.pass(0).then(() => database.mark(lapsed)));
      return Promise.resolve(new Set(['ns/a']));
    };
    await database.renew(15);
    await database.scheduler.pass(15_200);
    await Promise.all(told);
    await database.renew(15);
    await database.scheduler.pass(30);
    expect(database.asked).toEqual([true, false]);
  });

  it('lets another replica that marks come first', async () => {
    await database.renew(15);
    await database.mark(true);
    await database.renew(15);
    await database.scheduler.pass(30);
    expect(database.asked).toEqual([]);
    await database.scheduler.pass(200);
    expect(database.asked).toEqual([false]);
  });

  it.each([2 * HOUR, 20 * HOUR])(
    'calls nobody late whose lease it has not seen unchanged, if another primary is %i ms ahead',
    async (ahead) => {
      await database.renew(HOUR / 1_000);
      database.ahead += ahead;
      await database.scheduler.pass(HOUR - 1_000);
      expect(database.asked).toEqual([]);
      await database.scheduler.pass(1_100);
      expect(database.asked).toEqual([true]);
    },
  );

  it('judges by the clock of another primary that is behind', async () => {
    await database.renew(60);
    database.ahead -= HOUR;
    await database.scheduler.pass(HOUR);
    expect(database.asked).toEqual([]);
    await database.scheduler.pass(61_000);
    expect(database.asked).toEqual([true]);
  });

  it('marks a term as no longer lapsed once the holder renews, and as lapsed again', async () => {
    await database.renew(15);
    await database.scheduler.pass(16_000);
    await database.renew(15);
    await database.scheduler.pass(1_000);
    expect(database.asked).toEqual([true, false]);
    await database.scheduler.pass(16_000);
    expect(database.asked).toEqual([true, false, true]);
  });
});

describe('DatabaseClock', () => {
  let scheduler: ManualScheduler;
  /** How far the database's clock is ahead, and how long the way there and the way back take. */
  let ahead: number;
  let [there, back] = [0, 0];
  let steps: number;
  let clock: DatabaseClock;

  const passed = (ms: number) => new Promise<void>((resolve) => scheduler.after(ms, resolve));

  beforeEach(() => {
    scheduler = new ManualScheduler();
    [ahead, there, back, steps] = [1_000_000, 1, 1, 0];
    const read = async (): Promise<number> => {
      await passed(there);
      const now = scheduler.now() + ahead;
      await passed(back);
      return now;
    };
    clock = new DatabaseClock({ read, onStep: () => (steps += 1), scheduler, logger: pino({ level: 'silent' }) });
  });

  const error = () => clock.now() - scheduler.now() - ahead;

  it('knows the clock as well as one reading tells, and keeps that where later readings take long', async () => {
    void clock.start();
    await scheduler.pass(100);
    expect(error()).toBe(0);
    [there, back] = [900, 100];
    await scheduler.pass(30_000);
    expect([error(), steps]).toEqual([0, 1]);
  });

  it('notices a step of the clock, as by a failover, though every reading takes long', async () => {
    [there, back] = [75, 75];
    void clock.start();
    await scheduler.pass(1_000);
    ahead += 5_000;
    await scheduler.pass(11_000);
    expect([error(), steps]).toEqual([0, 2]);
    ahead -= 10_000;
    await scheduler.pass(11_000);
    expect([error(), steps]).toEqual([0, 3]);
  });

  it('tries again soon until it knows the clock', async () => {
    let fails = true;
    clock = new DatabaseClock({
      read: () => (fails ? Promise.reject(new Error('away')) : Promise.resolve(scheduler.now() + ahead)),
      scheduler,
      logger: pino({ level: 'silent' }),
    });
    await clock.start();
    fails = false;
    await scheduler.pass(1_000);
    expect(error()).toBe(0);
    clock.stop();
    expect(scheduler.pending).toBe(0);
  });
});
