import { describe, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { eventually } from '../../support/eventually.js';
import { type Answer, ask } from '../../support/http-client.js';
import { MovedClock } from '../../support/moved-clock.js';
import { type ServerProcess, startServerProcess } from '../../support/server-process.js';
import { createTestDatabase } from '../../support/test-database.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const TERMS = '/apis/history.coordination-apiserver.dev/v1/namespaces/default/leaseterms';
const MINUTE = 60_000;

const database = forAllTests(() => createTestDatabase());
const clock = forAllTests(() => new MovedClock());
const right = forAllTests(() => start());
const moved = forAllTests(() => start(clock.nodeFlags));

const start = (nodeFlags: string[] = []): Promise<ServerProcess> => startServerProcess({ databaseUrl: database.url, nodeFlags });
const lock = (server: ServerProcess, name: string, query: string): Promise<Answer> =>
  ask(`${server.url}${LEASES}/${name}/lock?${query}`, { method: 'PUT' });
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Renews at one server for longer than the lease lasts, while somebody asks for it at the other; who asked got these statuses. */
async function contend(name: string, renewAt: ServerProcess, askAt: ServerProcess, move = () => undefined as void) {
  expect((await lock(renewAt, name, 'holder=one&duration=2s')).status).toBe(200);
  const statuses = new Set<number>();
  for (let turn = 0; turn < 16; turn++) {
    if (turn === 8) move();
    const [renewed, asked] = await Promise.all([lock(renewAt, name, 'holder=one&duration=2s'), lock(askAt, name, 'holder=two')]);
    expect(renewed.status).toBe(200);
    statuses.add(asked.status);
    await pause(150);
  }
  const renewedAt = performance.now();
  expect((await lock(askAt, name, 'holder=two&wait=30s')).status).toBe(200);
  return { statuses: [...statuses], tookSeconds: Math.round((performance.now() - renewedAt) / 1000) };
}

describe('a lock that is renewed at one server is not taken at another, and then as soon as its duration is over,', () => {
  test.each([
    ['a minute ahead', MINUTE],
    ['a minute behind', -MINUTE],
  ])(
    'by whoever has a clock that is %s',
    async (_, ahead) => {
      clock.moveTo(ahead);
      await pause(50);
      expect(await contend(`skew-${ahead}`.replace('--', '-x'), right, moved)).toEqual({ statuses: [423], tookSeconds: 2 });
      expect(await contend(`back-${ahead}`.replace('--', '-x'), moved, right)).toEqual({ statuses: [423], tookSeconds: 2 });
      clock.moveTo(0);
    },
    30_000,
  );

  test.each([
    ['steps forwards by ten minutes', 10 * MINUTE],
    ['steps back by an hour', -60 * MINUTE],
    ['stands still', 'stopped'],
  ] as const)(
    'by whoever has a clock that %s meanwhile',
    async (_, to) => {
      clock.moveTo(0);
      const name = `step-${typeof to === 'number' ? to : 0}`.replace('--', '-x');
      expect(await contend(name, right, moved, () => clock.moveTo(to))).toEqual({ statuses: [423], tookSeconds: 2 });
      clock.moveTo(0);
      await pause(50);
      expect(await contend(`${name}-too`, moved, right, () => clock.moveTo(to))).toEqual({ statuses: [423], tookSeconds: 2 });
      clock.moveTo(0);
    },
    30_000,
  );
});

test('a server that has just started waits for the duration, and no longer, before it takes what it has not seen renewed', async () => {
  expect((await lock(right, 'left', 'holder=one&duration=3s')).status).toBe(200);
  await pause(4_000);
  const third = await start();
  const began = performance.now();
  expect((await lock(third, 'left', 'holder=two')).status).toBe(423);
  expect((await lock(third, 'left', 'holder=two&wait=30s')).status).toBe(200);
  expect(performance.now() - began).toBeLessThan(4_500);
  await third.stop();
  expect((await lock(right, 'left', 'holder=three')).status).toBe(423);
}, 30_000);

test('a holder that renews is not said to be late, though the clock of its server is a minute behind', async () => {
  clock.moveTo(-MINUTE);
  await pause(50);
  const lapses = async () => {
    const { json } = await ask(`${right.url}${TERMS}?fieldSelector=spec.leaseName%3Drenewed-behind`);
    return (json.items as unknown as { status: { lapses?: number } }[]).map(({ status }) => status.lapses ?? 0);
  };
  for (let turn = 0; turn < 12; turn++) {
    expect((await lock(moved, 'renewed-behind', 'holder=one&duration=2s')).status).toBe(200);
    await pause(300);
  }
  expect(await lapses()).toEqual([0]);
  await eventually(async () => (await lapses())[0] === 1);
  clock.moveTo(0);
}, 30_000);
