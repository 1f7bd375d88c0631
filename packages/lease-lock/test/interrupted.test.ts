import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { apiAccess } from '../../leader-election/test/support/api-access.js';
import { acquireLock } from '../src/acquisition.js';
import { databaseLeases } from '../src/database-leases.js';
import { serverBackend } from '../src/http/server-backend.js';
import { LockServer } from './support/lock-server.js';
import { ObservedTransport } from './support/observed-transport.js';

const site = LockServer.forThisFile();
/** Longer than a test lasts: what is left behind is still held at the end. */
const DURATION = 3_600_000;

describe('an acquisition that is given up', () => {
  let pool: pg.Pool;
  beforeAll(() => {
    pool = new pg.Pool({ connectionString: site.server.databaseUrl });
  });
  afterAll(() => pool.end());

  test.each(['POST leases', 'PUT leases/put'])('while %s is under way leaves nothing held', async (request) => {
    const name = request === 'POST leases' ? 'post' : 'put';
    if (name === 'put') await site.leases.create(name, { holderIdentity: '' });
    const transport = new ObservedTransport(await apiAccess(site.server));
    const goOn = transport.stall(request);
    const { signal, acquired } = start(name, serverBackend({ transport: transport.send, namespace: 'default' }));
    await eventually(() => transport.asked.includes(request));
    signal.abort(new Error('given up'));
    goOn();
    await expect(acquired).rejects.toThrow('given up');
    expect(await site.leases.holder(name)).toBe('');
  });

  test('while the server is about to answer leaves nothing held', async () => {
    const transport = new ObservedTransport(await apiAccess(site.server));
    const { signal, acquired } = start('unanswered', serverBackend({ transport: unanswered(transport), namespace: 'default' }));
    await eventually(() => site.leases.holder('unanswered'));
    signal.abort(new Error('given up'));
    await expect(acquired).rejects.toThrow('given up');
    expect(await site.leases.holder('unanswered')).toBe('');
  });

  test('while the database writes leaves nothing held', async () => {
    let goOn = (): void => undefined;
    const stalled = new Promise<void>((resolve) => (goOn = resolve));
    let isAsked = false;
    const database = {
      query: async (text: string, values: unknown[]) => {
        if (text.includes('lease_acquire')) {
          isAsked = true;
          await stalled;
        }
        return pool.query(text, values);
      },
    };
    const { signal, acquired } = start('database', databaseLeases({ database }));
    await eventually(() => isAsked);
    signal.abort(new Error('given up'));
    goOn();
    await expect(acquired).rejects.toThrow('given up');
    expect(await site.leases.holder('database')).toBe('');
  });

  test('after the answer of the database was lost leaves nothing held', async () => {
    const database = {
      query: async (text: string, values: unknown[]) => {
        const answer = await pool.query(text, values);
        if (text.includes('lease_acquire')) throw Object.assign(new Error('cut off'), { code: '08006' });
        return answer;
      },
    };
    await expect(acquireLock('lost', { backend: databaseLeases({ database }), duration: DURATION })).rejects.toThrow('cut off');
    expect(await site.leases.holder('lost')).toBe('');
  });

  function start(name: string, backend: Parameters<typeof acquireLock>[1]['backend']) {
    const signal = new AbortController();
    const acquired = acquireLock(name, { backend, duration: DURATION, signal: signal.signal });
    acquired.catch(() => undefined);
    return { signal, acquired };
  }
});

/** The lease is taken, and nobody is told. */
function unanswered(transport: ObservedTransport): ObservedTransport['send'] {
  return async (request) => {
    const answer = transport.send({ ...request, signal: new AbortController().signal });
    if (request.method !== 'POST') return answer;
    await answer;
    return new Promise((_, reject) => request.signal.addEventListener('abort', () => reject(request.signal.reason as Error)));
  };
}

describe.each(['a server', 'a database'])('the program with %s', (kind) => {
  test.each(['SIGINT', 'SIGTERM'] as const)('that gets %s at any time leaves nothing held and nobody in the queue', async (signal) => {
    const name = kind === 'a server' ? `server-${signal.toLowerCase()}` : `database-${signal.toLowerCase()}`;
    const to = kind === 'a server' ? [] : [`--database-url=${site.server.databaseUrl}`];
    const run = () => site.start('lock', name, ...to, '--duration=1h', '--', 'sleep', '600');
    const whole = performance.now();
    const first = run();
    await eventually(async () => (await site.leases.holder(name)) || undefined);
    const startup = performance.now() - whole;
    first.signal(signal);
    await first.result();
    for (let point = 0; point < 12; point++) {
      const [one, other] = [run(), run()];
      await sleep((startup * 1.4 * point) / 12);
      for (const each of [one, other]) each.signal(signal);
      // before it listens to signals, it ends by them
      for (const each of [one, other]) expect([130, 143, signal]).toContain((await each.result()).code);
      expect(await site.leases.holder(name)).toBe('');
      expect(await site.leases.waiting(name)).toEqual([]);
    }
  });
});
