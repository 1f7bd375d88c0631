import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { RegistryFixture } from '../../../test/support/registry-fixture.js';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import { LeaderLease } from './leader-lease.js';

const running: LeaderLease[] = [];
afterEach(async () => {
  for (const lease of running.splice(0)) await lease.stop();
});

class Replica {
  readonly events: string[] = [];
  cut = false;
  /** Milliseconds until a write gets its response. */
  answersAfter = 0;
  readonly lease: LeaderLease;
  /** Lines of the log. */
  readonly lines: { readonly msg: string; readonly reason?: string }[] = [];

  constructor(registry: RegistryFixture, identity: string, now = () => registry.nowMs + registry.scheduler.now()) {
    const { leases, scheduler } = registry;
    const refuse = () => Promise.reject(new ApiError({ code: 500, reason: 'InternalError', message: 'cut off' }));
    const store = new Proxy(leases, {
      get: (target, name) => {
        if (this.cut && (name === 'get' || name === 'create' || name === 'update')) return refuse;
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        const method = value.bind(target) as (...given: unknown[]) => unknown;
        if (this.answersAfter === 0 || (name !== 'create' && name !== 'update')) return method;
        return async (...given: unknown[]) => {
          const answer = await method(...given);
          await new Promise<void>((resolve) => scheduler.after(this.answersAfter, resolve));
          return answer;
        };
      },
    });
    const logger = pino({ level: 'warn' }, { write: (line: string) => void this.lines.push(JSON.parse(line) as (typeof this.lines)[0]) });
    const names = { leases: store, namespace: 'ns', name: 'work', identity };
    this.lease = new LeaderLease(
      { ...names, scheduler, logger, now },
      {
        start: () => Promise.resolve(void this.events.push('start')),
        stop: () => Promise.resolve(void this.events.push('stop')),
      },
    );
    running.push(this.lease);
    this.lease.start();
  }
}

describe('work that one replica does at a time', () => {
  it('begins at once on the first replica, and stays there', async () => {
    const registry = await new RegistryFixture().withNamespace();
    const [a, b] = [new Replica(registry, 'a'), new Replica(registry, 'b')];
    await registry.scheduler.pass(0);
    await registry.scheduler.pass(60_000);
    expect([a.events, b.events]).toEqual([['start'], []]);
    expect((await registry.getLease('work')).spec).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 });
  });

  it('costs a write every five to six seconds', async () => {
    const registry = await new RegistryFixture().withNamespace();
    void new Replica(registry, 'a');
    await registry.scheduler.pass(0);
    const version = async () => Number((await registry.getLease('work')).metadata.resourceVersion);
    const before = await version();
    await registry.scheduler.pass(60_000);
    expect((await version()) - before).toBeGreaterThanOrEqual(10);
    expect((await version()) - before).toBeLessThanOrEqual(12);
  });

  it('stops when its replica is cut off, and then continues on another within 20 s', async () => {
    const registry = await new RegistryFixture().withNamespace();
    const [a, b] = [new Replica(registry, 'a'), new Replica(registry, 'b')];
    await registry.scheduler.pass(30_000);
    a.cut = true;
    await registry.scheduler.pass(10_000);
    expect([a.events, b.events]).toEqual([['start', 'stop'], []]);
    await registry.scheduler.pass(10_000);
    expect(b.events).toEqual(['start']);
    // one line for all attempts that failed
    expect(a.lines).toMatchObject([{ reason: 'cut off' }]);
    a.cut = false;
    await registry.scheduler.pass(60_000);
    expect([a.events, b.events]).toEqual([['start', 'stop'], ['start']]);
    a.cut = true;
    await registry.scheduler.pass(10_000);
    expect(a.lines).toHaveLength(2);
    expect((await registry.getLease('work')).spec?.leaseTransitions).toBe(1);
  });

  it.each([7_000, 10_000, 16_000])(
    'does not begin if the response to the write comes after %s ms and the lease may have expired',
    async (ms) => {
      const registry = await new RegistryFixture().withNamespace();
      const a = new Replica(registry, 'a');
      a.answersAfter = ms;
      await registry.scheduler.pass(ms - 1);
      expect((await registry.getLease('work')).spec).toMatchObject({ holderIdentity: 'a' });
      expect(a.events).toEqual([]);
      a.answersAfter = 0;
      await registry.scheduler.pass(1);
      expect(a.events).toEqual(ms < 10_000 ? ['start'] : []);
      await registry.scheduler.pass(5_000);
      expect(a.events).toEqual(['start']);
    },
  );

  it('stays where it is though the wall clock stands still', async () => {
    const registry = await new RegistryFixture().withNamespace();
    const [a, b] = [new Replica(registry, 'a', () => registry.nowMs), new Replica(registry, 'b')];
    await registry.scheduler.pass(60_000);
    expect([a.events, b.events]).toEqual([['start'], []]);
  });

  it('releases a lease whose response came too late to lead', async () => {
    const registry = await new RegistryFixture().withNamespace();
    const a = new Replica(registry, 'a');
    a.answersAfter = 12_000;
    await registry.scheduler.pass(12_000);
    a.answersAfter = 0;
    await a.lease.stop();
    expect(a.events).toEqual([]);
    expect((await registry.getLease('work')).spec).toMatchObject({ holderIdentity: '' });
  });

  it('continues on another replica at once when its replica stops', async () => {
    const registry = await new RegistryFixture().withNamespace();
    const [a, b] = [new Replica(registry, 'a'), new Replica(registry, 'b')];
    await registry.scheduler.pass(5000);
    await a.lease.stop();
    expect(a.events).toEqual(['start', 'stop']);
    expect((await registry.getLease('work')).spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    await registry.scheduler.pass(2500);
    expect(b.events).toEqual(['start']);
  });
});
