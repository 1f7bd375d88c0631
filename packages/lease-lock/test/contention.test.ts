import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import type { LockProcess } from './support/lock-process.js';
import { LockServer } from './support/lock-server.js';

const site = LockServer.forThisFile();

const start = (...args: string[]): LockProcess => site.start('lock', ...args);
const linesOf = (file: string): string[] => readFileSync(file, 'utf8').trim().split('\n');

/** Notes its beginning and end in a log, and the process of an earlier command in the same slot that still runs. */
function witness(log: string, seconds: number): string[] {
  const last = `${log}.$LEASE_SLOT`;
  const script = `
    if [ -s ${last} ] && ps -o stat= -p $(cat ${last}) | grep -q '^[^Z]'; then echo "overlap $LEASE_TOKEN" >> ${log}; fi
    echo $$ > ${last}; echo "begin $LEASE_TOKEN $LEASE_SLOT" >> ${log}
    sleep ${seconds}
    : > ${last}; echo "end $LEASE_TOKEN" >> ${log}`;
  return ['--', 'sh', '-c', script];
}

function tokensOf(lines: readonly string[]): bigint[] {
  return lines.filter((line) => line.startsWith('begin ')).map((line) => BigInt(line.split(' ')[1] ?? 0));
}

const isRising = (tokens: readonly bigint[]): boolean => tokens.every((token, at) => at === 0 || token > (tokens[at - 1] ?? 0n));

test('processes that are killed or stopped while they hold the lock never overlap, and tokens rise', async () => {
  const log = site.file('killed');
  writeFileSync(log, '');
  const faults: NodeJS.Signals[] = ['SIGKILL', 'SIGSTOP'];
  const stopped: LockProcess[] = [];
  let over = false;
  const contender = async (): Promise<void> => {
    while (!over) {
      await start('killed', '--duration=4s', ...witness(log, 0.03)).result();
    }
  };
  const contenders = Array.from({ length: 6 }, contender);
  try {
    for (const fault of faults) {
      const victim = start('killed', '--duration=4s', '--verbose', ...witness(log, 600));
      await victim.prints(/with token/);
      const before = tokensOf(linesOf(log)).length;
      victim.signal(fault);
      if (fault === 'SIGSTOP') stopped.push(victim);
      await eventually(
        () => tokensOf(linesOf(log)).length > before + 8 || undefined,
        () => `no more commands after ${fault}`,
      );
    }
  } finally {
    over = true;
    for (const victim of stopped) victim.signal('SIGCONT');
    await Promise.all([...contenders, ...stopped.map((victim) => victim.result())]);
  }
  const lines = linesOf(log);
  expect(lines.filter((line) => line.startsWith('overlap'))).toEqual([]);
  expect(isRising(tokensOf(lines))).toBe(true);
}, 240_000);

test('waiters are served in order of arrival', async () => {
  const log = site.file('order');
  const holder = start('order', '--', 'sh', '-c', 'echo holds; exec sleep 600');
  await holder.prints(/holds/);
  const waiters: LockProcess[] = [];
  for (let place = 0; place < 8; place++) {
    waiters.push(start('order', `--holder=waiter-${place}`, '--shell', '--', `echo $LEASE_HOLDER >> ${log}`));
    await site.leases.untilWaiting('order', place + 1);
  }
  // Two of them give up, one at the end of the queue.
  for (const place of [3, 7]) {
    waiters[place]?.signal('SIGTERM');
    expect((await waiters[place]?.result())?.code).toBe(143);
  }
  holder.signal('SIGTERM');
  await Promise.all(waiters.map((waiter) => waiter.result()));
  expect(linesOf(log).map((holderName) => holderName.split('_')[0])).toEqual([0, 1, 2, 4, 5, 6].map((place) => `waiter-${place}`));
  expect(await site.leases.waiting('order')).toEqual([]);
});

test('never more slots of a semaphore are taken than there are', async () => {
  const log = site.file('slots');
  writeFileSync(log, '');
  const runs = Array.from({ length: 10 }, () => start('slots', '--slots=3', ...witness(log, 0.3)));
  const results = await Promise.all(runs.map((run) => run.result()));
  expect(results.map(({ code }) => code)).toEqual(runs.map(() => 0));
  const lines = linesOf(log);
  let taken = 0;
  const counts = lines.map((line) => (taken += line.startsWith('begin') ? 1 : -1));
  expect(lines).toHaveLength(20);
  expect(Math.max(...counts)).toBeLessThanOrEqual(3);
  expect(new Set(lines.flatMap((line) => / (\d)$/.exec(line.startsWith('begin') ? line : '')?.[1] ?? []))).toEqual(
    new Set(['0', '1', '2']),
  );
});

test.each([
  [
    'fewer',
    ['--slots=2'],
    /^lease-lock: \S+ holds counts-fewer-[01] as one of 2, here there are 3 slots: everybody must say the same number\n$/,
  ],
  ['more', ['--slots=5'], /holds counts-more-[0-4] as one of 5, here/],
  ['one', [], /holds counts-one as one of 1, here/],
  ['as many', ['--slots=3'], /^$/],
])('somebody who says %s slots is told of, and stops nobody', async (which, options, message) => {
  const name = `counts-${which.replace(' ', '-')}`;
  const holder = start(name, ...options, '--', 'sh', '-c', 'echo held; exec sleep 600');
  await holder.prints(/held/);
  const [first, quiet] = [await start(name, '--slots=3', '--', 'true').result(), start(name, '--slots=3', '--quiet', '--', 'true')];
  expect(first).toEqual({ code: 0, stdout: '', stderr: expect.stringMatching(message) });
  expect((await quiet.result()).stderr).toMatch(message);
  holder.signal('SIGTERM');
  await holder.result();
  expect((await start(name, '--slots=3', '--', 'true').result()).stderr).toBe('');
});

test('a slot that a client without this package holds is respected, and its release is noticed', async () => {
  const now = new Date().toISOString().replace('Z', '000Z');
  const foreign = await site.leases.create('mixed-0', { holderIdentity: 'client-go', leaseDurationSeconds: 600, renewTime: now });
  const holder = start('mixed', '--slots=2', '--', 'sh', '-c', 'echo slot $LEASE_SLOT; exec sleep 600');
  await holder.prints(/slot 1/);
  const waiter = start('mixed', '--slots=2', '--', 'sh', '-c', 'echo slot $LEASE_SLOT');
  await site.leases.untilWaiting('mixed', 1);
  await site.leases.update(foreign, { holderIdentity: '' });
  expect((await waiter.result()).stdout).toBe('slot 0\n');
  holder.signal('SIGTERM');
  await holder.result();
});
