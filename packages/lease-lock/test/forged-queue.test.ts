import { beforeAll, describe, expect, test } from '@jest/globals';
import { forAllTests } from '../../../test/support/for-tests.js';
import { ask } from '../../../test/support/http-client.js';
import { type ServerProcess, startServerProcess } from '../../../test/support/server-process.js';
import { type Clock, systemClock } from '../../kube-client/src/clock.js';
import { type ApiAccess, apiAccess } from '../../leader-election/test/support/api-access.js';
import { acquireLock } from '../src/acquisition.js';
import { serverBackend } from '../src/http/server-backend.js';
import { ORDER } from '../src/http/queue/ticket.js';
import { LeaseReader } from './support/lease-reader.js';
import { ObservedTransport } from './support/observed-transport.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const FOR_EVER = 2 ** 31 - 1;
/** Time passes so many times faster for a contender. */
const SPEED = 25;
const now = (): string => new Date().toISOString().replace('Z', '000Z');
const renewedNow = { leaseDurationSeconds: FOR_EVER, renewTime: now() };

const fast: Clock = {
  monotonic: () => SPEED * systemClock.monotonic(),
  after: (ms, run) => systemClock.after(ms / SPEED, run),
  wallTime: () => systemClock.wallTime(),
};

let access: ApiAccess;
const server: ServerProcess = forAllTests(() => startServerProcess());
beforeAll(async () => {
  access = await apiAccess(server);
});

async function create(name: string, spec: object, metadata: object = {}): Promise<void> {
  const { status, text } = await ask(`${server.url}${LEASES}`, { method: 'POST', body: { metadata: { name, ...metadata }, spec } });
  if (status !== 201) throw new Error(text);
}

const read = (name: string) => ask(`${server.url}${LEASES}/${name}`);
const queue = (lock: string) => ({ labels: { 'coordination-apiserver/queue-of': lock } });

function open() {
  const transport = new ObservedTransport(access);
  return { transport, backend: serverBackend({ transport: transport.send, namespace: 'default', clock: fast }) };
}

/** Waits for a lock, and counts the requests. */
async function acquire(lock: string, wait?: number): Promise<number> {
  const { transport, backend } = open();
  await (await acquireLock(lock, { backend, wait, duration: 3_600_000 })).release();
  return transport.asked.length;
}

describe('a free lock is served, whoever may create leases in its namespace and says what', () => {
  test('a ticket that says it lasts for ever lasts as long as others', async () => {
    await create('lasting.queue', { ...renewedNow, holderIdentity: 'lasting.ticket-x' }, queue('lasting'));
    await create('lasting.ticket-x', { ...renewedNow, holderIdentity: 'nobody' }, queue('lasting'));
    expect(await acquire('lasting')).toBeLessThan(40);
    expect((await read('lasting.ticket-x')).status).toBe(404);
  });

  test('a register that names a lease which is no ticket is not believed, and that lease stays', async () => {
    await create('other', { holderIdentity: 'somebody', leaseDurationSeconds: 1, renewTime: '2020-01-01T00:00:00.000000Z' });
    const holder = await acquireLock('naming', { backend: open().backend });
    await create('naming.queue', { ...renewedNow, holderIdentity: 'other' }, queue('naming'));
    const acquired = acquire('naming');
    await (await LeaseReader.of(server)).untilWaiting('naming', 1);
    await holder.release();
    await acquired;
    expect((await read('other')).status).toBe(200);
  });

  test.each([
    ['far ahead', '9'.repeat(18)],
    ['of thousands of digits', '9'.repeat(5000)],
    ['that is no number', 'x'],
  ])('a register with an order %s is not believed', async (_what, order) => {
    const lock = `order-${order.length}`;
    await create(
      `${lock}.queue`,
      { ...renewedNow, holderIdentity: `${lock}.ticket-x` },
      { ...queue(lock), annotations: { [ORDER]: order } },
    );
    await create(`${lock}.ticket-x`, { ...renewedNow, holderIdentity: 'nobody' }, queue(lock));
    await acquire(lock);
  });

  test('a ticket that a finalizer keeps is removed all the same', async () => {
    await create('kept.queue', { ...renewedNow, holderIdentity: 'kept.ticket-x' }, queue('kept'));
    const kept = { ...queue('kept'), annotations: { [ORDER]: '1' }, finalizers: ['example.com/never'] };
    await create('kept.ticket-x', { ...renewedNow, holderIdentity: 'nobody' }, kept);
    expect(await acquire('kept')).toBeLessThan(40);
    expect((await read('kept.ticket-x')).text).toContain('deletionTimestamp');
    expect(await acquire('kept', 0)).toBeLessThan(40);
  });

  test('a ticket that was renewed years ahead of now keeps nobody from taking the lock at once', async () => {
    const ahead = { leaseDurationSeconds: FOR_EVER, renewTime: '2199-01-01T00:00:00.000000Z' };
    await create('ahead.queue', { ...ahead, holderIdentity: 'ahead.ticket-x' }, queue('ahead'));
    await create('ahead.ticket-x', { ...ahead, holderIdentity: 'nobody' }, queue('ahead'));
    await acquire('ahead', 0);
  });
});
