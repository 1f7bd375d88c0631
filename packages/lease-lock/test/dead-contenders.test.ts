import { beforeAll, describe, expect, test } from '@jest/globals';
import { forAllTests } from '../../../test/support/for-tests.js';
import { eventually } from '../../../test/support/eventually.js';
import { startServerProcess } from '../../../test/support/server-process.js';
import { type Clock, systemClock } from '../../kube-client/src/clock.js';
import { type ApiAccess, apiAccess } from '../../leader-election/test/support/api-access.js';
import { FakeClock } from '../../leader-election/test/support/fake-clock.js';
import { acquireLock } from '../src/acquisition.js';
import type { LeaseBackend } from '../src/backend.js';
import { serverBackend } from '../src/http/server-backend.js';
import { ticketAhead } from '../src/http/queue/ticket.js';
import type { Lock } from '../src/held-lock.js';
import { LeaseReader } from './support/lease-reader.js';
import { ObservedTransport } from './support/observed-transport.js';

const TICKET_TIME = 30_000;
const TIME_OF_FIRST = 6_000;
/** In this time a contender that is not the first renews its ticket once. */
const A_RENEWAL = 12_000;
/** A request without an answer fails within this time. */
const REQUEST_TIME = 5_000;

let access: ApiAccess;
let leases: LeaseReader;

const server = forAllTests(() => startServerProcess());
beforeAll(async () => {
  access = await apiAccess(server);
  leases = await LeaseReader.of(server);
});

/**
 * Its monotonic time is the test's, and only jumps, so that no answer is late; its wall time is the machine's, so that no ticket seems to be from
 * long ago.
 */
class Contender {
  readonly clock = new FakeClock();
  readonly transport = new ObservedTransport(access);
  readonly backend: LeaseBackend;

  constructor() {
    const { clock, transport } = this;
    const real: Clock = {
      monotonic: () => clock.monotonic(),
      after: (ms, run) => clock.after(ms, run),
      wallTime: () => systemClock.wallTime(),
    };
    this.backend = serverBackend({ transport: transport.send, namespace: 'default', clock: real });
  }

  /** Waits for the lock. Resolves when its ticket says which one is ahead: with how to get the lock. */
  async waitsFor(
    name: string,
    holder: string,
    signal?: AbortSignal,
  ): Promise<{ readonly acquired: Promise<Lock>; readonly ticket: string }> {
    const acquired = acquireLock(name, { backend: this.backend, holder, signal });
    acquired.catch(() => undefined);
    const ticket = await eventually(async () => {
      const own = (await leases.tickets(name)).find(({ spec }) => nameIn(spec?.holderIdentity) === holder);
      return own && ticketAhead(own) !== undefined && own.metadata.name;
    });
    return { acquired, ticket };
  }

  /** Lets time pass for it until it has renewed its ticket. */
  async renews(): Promise<void> {
    const renewals = (): number => this.transport.answered.filter((request) => /^PUT .*\.ticket-/.test(request)).length;
    const before = renewals();
    await this.clock.stopFor(A_RENEWAL);
    await eventually(() => renewals() > before);
  }
}

/** One after the other, each behind the one before. */
async function line(lock: string, names: readonly string[]): Promise<Contender[]> {
  const contenders: Contender[] = [];
  for (const name of names) {
    const contender = new Contender();
    await contender.waitsFor(lock, name);
    contenders.push(contender);
  }
  return contenders;
}

/** Random characters follow the name. */
const nameIn = (holder = ''): string => holder.split('_')[0] ?? '';
const waiting = async (lock: string): Promise<string[]> => (await leases.waiting(lock)).map(nameIn);

const die = (contenders: readonly Contender[]): void => contenders.forEach(({ transport }) => transport.cut());

describe('however many contenders ahead have died, one waits for them', () => {
  test('the time of one, if it came after their death', async () => {
    const holder = await acquireLock('before', { backend: new Contender().backend });
    die(await line('before', ['d0', 'd1', 'd2', 'd3']));
    const living = new Contender();
    const { acquired } = await living.waitsFor('before', 'living');
    await holder.release();
    await living.clock.stopFor(TICKET_TIME);
    await (await acquired).release();
    expect(await waiting('before')).toEqual([]);
  });

  test('the time of one, from its next renewal on, if they died while it waited', async () => {
    const holder = await acquireLock('meanwhile', { backend: new Contender().backend });
    const dying = await line('meanwhile', ['d0', 'd1', 'd2', 'd3']);
    const living = new Contender();
    const { acquired } = await living.waitsFor('meanwhile', 'living');
    // Not the second one, for which the first would be dead by then; and the last one before the one ahead of it, which nobody else watches.
    await dying[3]?.renews();
    await dying[2]?.renews();
    die(dying);
    await holder.release();
    await living.renews();
    await living.clock.stopFor(TICKET_TIME);
    await (await acquired).release();
    expect(await waiting('meanwhile')).toEqual([]);
  });
});

test.each(['served', 'gives up'])(
  'a dead contender that becomes the first, as the one ahead %s, has the time of the first',
  async (how) => {
    const name = how.replace(' ', '-');
    const holder = await acquireLock(name, { backend: new Contender().backend });
    const giveUp = new AbortController();
    const first = await new Contender().waitsFor(name, 'first', giveUp.signal);
    const dead = await line(name, ['dead']);
    const next = new Contender();
    const { acquired } = await next.waitsFor(name, 'next');
    die(dead);
    if (how === 'served') {
      await holder.release();
      await (await first.acquired).release();
    } else {
      giveUp.abort();
      await holder.release();
    }
    await eventually(async () => (await waiting(name)).join() === 'dead,next');
    await eventually(() => next.transport.deletions === 1);
    await next.clock.stopFor(TIME_OF_FIRST);
    await (await acquired).release();
    expect(await waiting(name)).toEqual([]);
  },
);

test('a living contender among dead ones keeps its place', async () => {
  const holder = await acquireLock('among', { backend: new Contender().backend });
  const [first] = (await line('among', ['d0'])) as [Contender];
  const middle = new Contender();
  const middlePlace = await middle.waitsFor('among', 'middle');
  const [second] = (await line('among', ['d1'])) as [Contender];
  const last = new Contender();
  const lastPlace = await last.waitsFor('among', 'last');
  die([first, second]);
  await middle.renews();
  // Whoever looks only at the times since its arrival would now take all of them for dead.
  await last.clock.stopFor(TICKET_TIME);
  await eventually(async () => ticketAhead((await leases.get(lastPlace.ticket)) ?? { metadata: {} }) === middlePlace.ticket);
  await eventually(async () => (await waiting('among')).join() === 'middle,last');
  await holder.release();
  await (await middlePlace.acquired).release();
  await (await lastPlace.acquired).release();
});

test('a contender that could not renew its own ticket grants those ahead their whole time', async () => {
  const holder = await acquireLock('outage', { backend: new Contender().backend });
  die(await line('outage', ['d0', 'd1']));
  const living = new Contender();
  const { acquired, ticket } = await living.waitsFor('outage', 'living');
  living.transport.hold(`PUT leases/${ticket}`);
  const renewals = (): number => living.transport.asked.filter((asked) => asked === `PUT leases/${ticket}`).length;
  const before = renewals();
  await living.clock.stopFor(A_RENEWAL);
  await eventually(() => renewals() > before);
  living.transport.hold('nothing');
  await living.clock.stopFor(REQUEST_TIME);
  await living.renews();
  await living.renews();
  expect(await waiting('outage')).toEqual(['d0', 'd1', 'living']);
  await holder.release();
  await living.clock.stopFor(TICKET_TIME);
  await (await acquired).release();
});
