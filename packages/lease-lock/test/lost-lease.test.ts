import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { apiAccess } from '../../leader-election/test/support/api-access.js';
import { TcpLink } from '../../../test/support/tcp-link.js';
import { LockProcess } from './support/lock-process.js';
import { LockServer } from './support/lock-server.js';

const site = LockServer.forThisFile();

const DURATION = '--duration=6s';

/** Writes a line all the time, and does not end when it is asked to. */
function stubborn(log: string): string[] {
  return ['--', 'sh', '-c', `trap 'echo told' TERM; echo holds; while :; do echo first >> ${log}; sleep 0.02; done`];
}

async function throughProxy(proxy: TcpLink, name: string, log: string): Promise<LockProcess> {
  const { caFile, token } = await apiAccess(site.server);
  const to = [`--server=https://127.0.0.1:${proxy.port}`, `--token=${token}`, `--certificate-authority=${caFile}`];
  const holder = new LockProcess('/none', ['lock', name, DURATION, ...to, ...stubborn(log)]);
  await holder.prints(/holds/);
  return holder;
}

test.each(['deleted', 'taken'])(
  'a lease that is %s under a command of half an hour ends it at once',
  async (how) => {
    const name = `robbed-${how}`;
    const holder = site.start('lock', name, '--duration=30m', '--', 'sh', '-c', 'echo holds; exec sleep 600');
    await holder.prints(/holds/);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    if (how === 'deleted') await site.leases.remove(name);
    else await site.leases.update((await site.leases.get(name)) ?? { metadata: {} }, { holderIdentity: 'robber' });
    // its next renewal would be in four minutes
    expect(await holder.result()).toMatchObject({ code: 76, stderr: expect.stringContaining(how === 'taken' ? 'taken it' : 'deleted it') });
  },
  60_000,
);

describe('a holder that cannot renew its lease', () => {
  const ways = {
    'cut off from the server': (_: LockProcess, proxy: TcpLink) => proxy.mute(),
    killed: (holder: LockProcess) => holder.signal('SIGKILL'),
    'stopped without its command': (holder: LockProcess) => holder.signal('SIGSTOP'),
  };

  test.each(Object.keys(ways) as (keyof typeof ways)[])(
    '%s: its command is told, and has ended before the next one begins',
    async (way) => {
      const name = way.replaceAll(' ', '-');
      const log = site.file(name);
      await using proxy = await TcpLink.to(site.server.port);
      const holder = await throughProxy(proxy, name, log);
      try {
        const next = site.start('lock', name, DURATION, '--', 'sh', '-c', `echo second >> ${log}; sleep 0.5`);
        await site.leases.untilWaiting(name, 1);
        ways[way](holder, proxy);
        expect((await next.result()).code).toBe(0);
        expect(readFileSync(log, 'utf8')).toMatch(/^(first\n)+second\n$/);
        expect(holder.stdout).toContain('told');
      } finally {
        holder.signal('SIGCONT');
      }
      expect((await holder.result()).code).toBe(way === 'killed' ? 'SIGKILL' : 76);
    },
    120_000,
  );

  test('goes on when the server answers again in time', async () => {
    await using proxy = await TcpLink.to(site.server.port);
    const holder = await throughProxy(proxy, 'blink', site.file('blink'));
    const before = (await site.leases.get('blink'))?.spec?.renewTime;
    proxy.resetAll();
    await eventually(
      async () => (await site.leases.get('blink'))?.spec?.renewTime !== before || undefined,
      () => 'it is not renewed',
    );
    expect(holder.isRunning).toBe(true);
    expect(holder.stdout).toBe('holds\n');
    holder.signal('SIGTERM');
    await holder.prints(/told/);
    await site.leases.remove('blink');
    await holder.result();
  });
});

describe('a lease that is not the holder’s any more', () => {
  test('because somebody has taken it: the command is killed at once', async () => {
    const holder = site.start('lock', 'robbed', '--duration=60s', '--shell', '--', 'trap "" TERM; echo holds; while :; do sleep 1; done');
    await holder.prints(/holds/);
    await eventually(
      async () => {
        const lease = await site.leases.get('robbed');
        return lease && site.leases.update(lease, { holderIdentity: 'robber' }).catch(() => undefined);
      },
      () => 'it could not be taken',
    );
    const { code, stderr } = await holder.result();
    expect([code, stderr]).toEqual([76, 'lease-lock: the lease default/robbed is lost: somebody else has taken it\n']);
    expect(await site.leases.holder('robbed')).toBe('robber');
  });

  test('because somebody has deleted it', async () => {
    const holder = site.start('lock', 'deleted', '--duration=15s', '--', 'sh', '-c', 'echo holds; exec sleep 600');
    await holder.prints(/holds/);
    await site.leases.remove('deleted');
    const { code, stderr } = await holder.result();
    expect([code, stderr]).toEqual([76, 'lease-lock: the lease default/deleted is lost: somebody has freed or deleted it\n']);
    expect(await site.leases.get('deleted')).toBeUndefined();
  });
});
