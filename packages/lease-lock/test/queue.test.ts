import { beforeAll, describe, expect, test } from '@jest/globals';
import { forAllTests } from '../../../test/support/for-tests.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../../test/support/eventually.js';
import { startServerProcess } from '../../../test/support/server-process.js';
import { type ApiAccess, apiAccess } from '../../leader-election/test/support/api-access.js';
import { acquireLock, withLock } from '../src/acquisition.js';
import type { LeaseBackend } from '../src/backend.js';
import { serverBackend } from '../src/http/server-backend.js';
import { orderOf, ticketAhead } from '../src/http/queue/ticket.js';
import type { Lock } from '../src/held-lock.js';
import { LeaseReader } from './support/lease-reader.js';
import { ObservedTransport } from './support/observed-transport.js';

let access: ApiAccess;
let leases: LeaseReader;

const server = forAllTests(() => startServerProcess());
beforeAll(async () => {
  access = await apiAccess(server);
  leases = await LeaseReader.of(server);
});

function open(ticketSeconds?: number): { backend: LeaseBackend; transport: ObservedTransport } {
  const transport = new ObservedTransport(access);
  return { transport, backend: serverBackend({ transport: transport.send, namespace: 'default', ticketSeconds }) };
}

/** Waits for a lock, and notes when it is served. */
class Waiter {
  readonly name: string;
  readonly #stop = new AbortController();
  readonly #acquired: Promise<Lock>;

  constructor(lock: string, name: string, backend: LeaseBackend, served: string[]) {
    this.name = name;
    this.#acquired = acquireLock(lock, { backend, holder: name, signal: this.#stop.signal });
    this.#acquired.then(
      () => served.push(name),
      () => undefined,
    );
  }

  giveUp(): void {
    this.#stop.abort();
  }

  async release(): Promise<void> {
    await (await this.#acquired).release();
  }
}

/** Starts waiters one after another, each when the one before it has its place. */
async function line(lock: string, count: number, backendOf: (place: number) => LeaseBackend, served: string[]): Promise<Waiter[]> {
  const waiters: Waiter[] = [];
  for (let place = 0; place < count; place++) {
    waiters.push(new Waiter(lock, `w${place}`, backendOf(place), served));
    await leases.untilWaiting(lock, place + 1);
  }
  return waiters;
}

describe('the queue', () => {
  test('a hand-over takes as many requests and events with many waiters as with few', async () => {
    const cost = async (count: number): Promise<{ asked: string[]; events: number }> => {
      const { backend, transport } = open(3_600); // so that no renewals are counted
      const name = `cost-${count}`;
      const holder = await acquireLock(name, { backend, duration: 3_600_000 });
      const served: string[] = [];
      const waiters = Array.from({ length: count }, (_, place) => new Waiter(name, `w${place}`, backend, served));
      // Each watches the arrivals, and then the two tickets ahead; the first one lists, and watches the lock.
      const settled = async () =>
        transport.asked.filter((ask) => ask === 'WATCH').length >= 3 * count - 3 && (await leases.waiting(name)).length === count;
      await eventually(
        async () => (await settled()) || undefined,
        () => 'they do not all wait',
      );
      await sleep(500);
      const [asked, events] = [transport.asked.length, transport.events];
      await holder.release();
      await eventually(
        () => served[0],
        () => 'nobody is served',
      );
      await leases.untilWaiting(name, count - 1);
      await sleep(500);
      const result = { asked: transport.asked.slice(asked).map(kindOf).sort(), events: transport.events - events };
      for (const waiter of waiters) waiter.giveUp();
      await waiters.find((waiter) => waiter.name === served[0])?.release();
      return result;
    };
    const few = await cost(4);
    expect(few.asked.length).toBeLessThan(16);
    expect(few.asked).not.toContain('LIST');
    expect(await cost(40)).toEqual(few);
  }, 120_000);

  test('a hundred that come at once are served in the order of their tickets, without two at a time', async () => {
    const { backend, transport } = open();
    const holder = await acquireLock('burst', { backend });
    const served: string[] = [];
    let held = 0;
    let most = 0;
    const all = Array.from({ length: 100 }, () =>
      withLock('burst', { backend }, async (lock) => {
        most = Math.max(most, ++held);
        served.push(lock.holder);
        await sleep(1);
        held--;
      }),
    );
    await eventually(
      () => transport.created.length > 101 || undefined,
      () => 'they do not all wait',
    ); // the register, too
    await holder.release();
    await Promise.all(all);
    const tickets = transport.created.filter(({ metadata }) => metadata.name?.includes('ticket'));
    const inOrder = tickets.sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1)).map(({ spec }) => spec?.holderIdentity);
    expect(served).toEqual(inOrder);
    expect(most).toBe(1);
  }, 120_000);

  test('a waiter that gives up leaves the order of the others unchanged', async () => {
    const { backend } = open();
    const served: string[] = [];
    const holder = await acquireLock('gives-up', { backend });
    const waiters = await line('gives-up', 6, () => backend, served);
    for (const place of [0, 2, 3, 5]) waiters[place]?.giveUp();
    await leases.untilWaiting('gives-up', 2);
    const late = await line('gives-up', 0, () => backend, served);
    expect(late).toEqual([]);
    const last = new Waiter('gives-up', 'last', backend, served);
    await leases.untilWaiting('gives-up', 3);
    await holder.release();
    await waiters[1]?.release();
    await waiters[4]?.release();
    await last.release();
    expect(served).toEqual(['w1', 'w4', 'last']);
  });

  test('a waiter that gives up before it has found its place does not hide those ahead', async () => {
    const { backend } = open();
    const slow = open();
    slow.transport.hold('WATCH');
    const served: string[] = [];
    const holder = await acquireLock('unplaced', { backend });
    const [first] = await line('unplaced', 1, () => backend, served);
    const unplaced = new Waiter('unplaced', 'unplaced', slow.backend, served);
    await eventually(() => slow.transport.asked.includes('WATCH'));
    unplaced.giveUp();
    await leases.untilWaiting('unplaced', 1);
    const last = new Waiter('unplaced', 'last', backend, served);
    const [ahead, own] = await eventually(async () => {
      const tickets = await leases.tickets('unplaced');
      return tickets[1] && ticketAhead(tickets[1]) !== undefined ? tickets : undefined;
    });
    expect(own && ticketAhead(own)).toBe(ahead?.metadata.name);
    await holder.release();
    await first?.release();
    await last.release();
    expect(served).toEqual(['w0', 'last']);
  });

  test('a waiter that gives up while its ticket is being created leaves none', async () => {
    const { backend } = open();
    const slow = open();
    const holder = await acquireLock('on-its-way', { backend });
    const [first] = await line('on-its-way', 1, () => backend, []);
    const arrive = slow.transport.stall('POST leases');
    const waiter = new Waiter('on-its-way', 'slow', slow.backend, []);
    await eventually(() => slow.transport.asked.includes('POST leases'));
    waiter.giveUp();
    // Meanwhile whoever did not wait for the ticket would have looked for it in vain.
    for (let trips = 0; trips < 10; trips++) await leases.waiting('on-its-way');
    arrive();
    await eventually(() => slow.transport.created.length === 1);
    await leases.untilWaiting('on-its-way', 1);
    await holder.release();
    await first?.release();
    expect(await leases.waiting('on-its-way')).toEqual([]);
  });

  test('those that have died are passed over, first or not, and a newcomer does not overtake', async () => {
    const { backend } = open(3);
    const dead = open(3);
    const served: string[] = [];
    const holder = await acquireLock('dead', { backend });
    const waiters = await line('dead', 5, (place) => ([0, 2, 3].includes(place) ? dead.backend : backend), served);
    dead.transport.cut();
    for (const place of [0, 2, 3]) waiters[place]?.giveUp(); // which nobody hears of
    await holder.release();
    await waiters[1]?.release();
    await waiters[4]?.release();
    expect(served).toEqual(['w1', 'w4']);
    expect(await leases.waiting('dead')).toEqual([]);
  });

  test('the newest ticket of a queue that died long ago keeps nobody from taking the lock at once', async () => {
    const { backend } = open();
    const longAgo = '2020-01-01T00:00:00.000000Z';
    await withLock('ruin', { backend }, async () => {
      const waiter = new Waiter('ruin', 'w', backend, []);
      await leases.untilWaiting('ruin', 1);
      waiter.giveUp();
    });
    await leases.create('ruin.ticket-0123456789ab', { holderIdentity: 'ruin', leaseDurationSeconds: 30, renewTime: longAgo });
    await eventually(
      async () => {
        const register = await leases.get('ruin.queue');
        return register && leases.update(register, { holderIdentity: 'ruin.ticket-0123456789ab' }).catch(() => undefined);
      },
      () => 'the register keeps changing',
    );
    const lock = await acquireLock('ruin', { backend, wait: 0 });
    await lock.release();
  });
});

describe('a lock', () => {
  test('is given back at the end of the block, also with `await using`', async () => {
    const { backend } = open();
    {
      await using lock = await acquireLock('block', { backend });
      expect(lock.isHeld()).toBe(true);
      expect(lock.exclusiveFor()).toBeGreaterThan(0);
      expect(await leases.holder('block')).toBe(lock.holder);
    }
    expect(await leases.holder('block')).toBe('');
  });

  test('is lost by the clock before anybody else can have it', async () => {
    const { backend, transport } = open();
    const other = open();
    const lock = await acquireLock('lost', { backend, duration: 3_000 });
    transport.cut();
    const next = acquireLock('lost', { backend: other.backend, duration: 3_000 });
    await new Promise((resolve) => lock.signal.addEventListener('abort', resolve));
    expect(lock.signal.reason).toMatchObject({ why: 'lost', message: 'the lease default/lost is lost: it could not be renewed in time' });
    expect(lock.isHeld()).toBe(false);
    expect(() => lock.throwIfLost()).toThrow('is lost');
    const left = lock.exclusiveFor();
    expect(left).toBeGreaterThan(0);
    const following = await next;
    expect(lock.exclusiveFor()).toBe(0);
    expect(following.token).toBeGreaterThan(lock.token);
    await Promise.all([lock.release(), following.release()]);
  });

  test('is not waited for beyond the time, or the caller’s signal', async () => {
    const { backend } = open();
    const holder = await acquireLock('taken', { backend });
    await expect(acquireLock('taken', { backend, wait: 200 })).rejects.toMatchObject({ why: 'not-acquired' });
    const reason = new Error('never mind');
    await expect(acquireLock('taken', { backend, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(await leases.waiting('taken')).toEqual([]);
    await holder.release();
  });
});

function kindOf(asked: string): string {
  return asked.replace(/ticket-.*/, 'ticket').replace(/cost-\d+/, 'lock');
}
