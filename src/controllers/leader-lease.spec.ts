import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { RegistryFixture } from '../../test/support/registry-fixture.js';
import { ApiError } from '../apimachinery/errors/api-error.js';
import { LeaderLease } from './leader-lease.js';

const running: LeaderLease[] = [];
afterEach(async () => {
  for (const lease of running.splice(0)) await lease.stop();
});

class Replica {
  readonly events: string[] = [];
  cut = false;
  readonly lease: LeaderLease;

  constructor(registry: RegistryFixture, identity: string) {
    const { leases, scheduler } = registry;
    const refuse = () => Promise.reject(new ApiError({ code: 500, reason: 'InternalError', message: 'cut off' }));
    const store = new Proxy(leases, {
      get: (target, name) => {
        if (this.cut && (name === 'get' || name === 'create' || name === 'update')) return refuse;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const names = { leases: store, namespace: 'ns', name: 'work', identity };
    this.lease = new LeaderLease(
      { ...names, scheduler, logger: pino({ enabled: false }), now: () => registry.nowMs + scheduler.now() },
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
  it('begins at once, on the first, and stays there', async () => {
    const registry = await new RegistryFixture().withNamespace();
    const [a, b] = [new Replica(registry, 'a'), new Replica(registry, 'b')];
    await registry.scheduler.pass(0);
    await registry.scheduler.pass(60_000);
    expect([a.events, b.events]).toEqual([['start'], []]);
    expect((await registry.getLease('work')).spec).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 });
  });

  it('goes on elsewhere within 20 s when its replica is cut off, which has stopped by then', async () => {
    const registry = await new RegistryFixture().withNamespace();
    const [a, b] = [new Replica(registry, 'a'), new Replica(registry, 'b')];
    await registry.scheduler.pass(30_000);
    a.cut = true;
    await registry.scheduler.pass(10_000);
    expect([a.events, b.events]).toEqual([['start', 'stop'], []]);
    await registry.scheduler.pass(10_000);
    expect(b.events).toEqual(['start']);
    a.cut = false;
    await registry.scheduler.pass(60_000);
    expect([a.events, b.events]).toEqual([['start', 'stop'], ['start']]);
    expect((await registry.getLease('work')).spec?.leaseTransitions).toBe(1);
  });

  it('goes on elsewhere at once when its replica stops', async () => {
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
