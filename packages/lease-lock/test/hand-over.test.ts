import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { LeaderElector } from '../../leader-election/src/leader-elector.js';
import { httpsTransport } from '../../kube-client/src/https-transport.js';
import { CoordinationClient } from '../../kube-client/src/coordination-client.js';
import { apiAccess } from '../../leader-election/test/support/api-access.js';
import { LockServer } from './support/lock-server.js';

const site = LockServer.forThisFile();
const QUICK = '--duration=3s';

/** Work that ends half a second after SIGTERM, between two of its pieces. */
const WORK = 'trap "sleep 0.5; echo done; exit 0" TERM; echo leading $LEASE_HOLDER; while :; do sleep 0.1; done';
const STUBBORN = 'trap "" TERM; echo leading; while :; do sleep 0.1; done';

const elect = (name: string, holder: string, ...options: string[]) =>
  site.start('elect', name, QUICK, `--holder=${holder}`, ...options, '--', 'sh', '-c', WORK);

/** Resolves once a holder whose name begins so has the lease. */
const untilHeld = (name: string, holder: string) =>
  eventually(
    async () => (await site.leases.holder(name))?.startsWith(holder) || undefined,
    () => `${holder} does not get ${name}`,
  );
const transitions = async (name: string) => (await site.leases.get(name))?.spec?.leaseTransitions;

describe('a longest term', () => {
  test('ends with the work, and the next one leads', async () => {
    const first = elect('longest', 'first', '--max-term=4s');
    await first.prints(/leading first/);
    const second = elect('longest', 'second');
    await site.leases.untilWaiting('longest', 1);
    await second.prints(/leading second/);
    expect(first.stdout).toMatch(/^leading first_\w+\ndone\n$/);
    expect(first.stderr).toContain('the longest term is over: the lease is renewed until the command has ended');
    expect(await transitions('longest')).toBe(1);
    for (const candidate of [first, second]) candidate.signal('SIGTERM');
    await Promise.all([first.result(), second.result()]);
  });

  test('begins again where nobody else wants to lead', async () => {
    const alone = elect('alone', 'alone', '--max-term=3s');
    await alone.prints(/leading[^]*leading/);
    alone.signal('SIGTERM');
    await alone.result();
  });

  test('of lock ends the command, whose exit code counts', async () => {
    const { code, stdout } = await site.start('lock', 'limited', QUICK, '--max-term=3s', '--', 'sh', '-c', WORK).result();
    expect([code, stdout]).toEqual([0, expect.stringContaining('done')]);
    expect(await site.leases.holder('limited')).toBe('');
  });

  test.each([
    ['0', 'the longest term must not be shorter than the duration'],
    ['2s', 'the longest term must not be shorter than the duration'],
    ['-1s', '--max-term: "-1s" is not a duration'],
    ['', 'must not be empty'],
  ])('of "%s" is refused', async (time, message) => {
    expect(await site.start('elect', 'invalid', QUICK, `--max-term=${time}`, '--', 'true').result()).toMatchObject({
      code: 64,
      stderr: expect.stringContaining(message),
    });
  });

  test('may be longer than any timer', async () => {
    expect(await site.start('lock', 'huge', '--max-term=999999h', '--drain=999999h', '--', 'echo', 'run').result()).toMatchObject({
      code: 0,
      stdout: 'run\n',
    });
  });
});

describe('a command that is to end', () => {
  test('keeps the lease beyond its duration until it has ended, though told twice', async () => {
    const begin = 'trap "echo told; trap : TERM; sleep 5; exit 3" TERM; echo leading; while :; do sleep 0.1; done';
    const holder = site.start('elect', 'drained', QUICK, '--drain=60s', '--', 'sh', '-c', begin);
    await holder.prints(/leading/);
    const waiter = elect('drained', 'waiter');
    await site.leases.untilWaiting('drained', 1);
    holder.signal('SIGTERM');
    await holder.prints(/told/);
    holder.signal('SIGTERM');
    const before = await site.leases.get('drained');
    await eventually(
      async () => (await site.leases.get('drained'))?.spec?.renewTime !== before?.spec?.renewTime,
      () => 'it is not renewed',
    );
    expect(waiter.stdout).toBe('');
    const { code, stderr } = await holder.result();
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining('stopped by SIGTERM: the lease is renewed until the command has ended, for at most 60 s'),
    ]);
    await untilHeld('drained', 'waiter');
    waiter.signal('SIGTERM');
    await waiter.result();
  });

  test.each(['lock', 'elect'])('under %s gets SIGKILL when the limit is over, and the lease is free', async (command) => {
    const name = `stubborn-${command}`;
    const holder = site.start(command, name, QUICK, '--drain=1s', '--', 'sh', '-c', STUBBORN);
    await holder.prints(/leading/);
    holder.signal('SIGTERM');
    expect(await holder.result()).toMatchObject({ code: 137, stderr: expect.stringContaining('has not ended within 1 s: SIGKILL') });
    expect(await site.leases.holder(name)).toBe('');
  });
});

describe('a preferred holder', () => {
  test('gets the lease from one with a smaller priority, and keeps it', async () => {
    const low = elect('preferred', 'low', '--priority=1');
    await low.prints(/leading low/);
    const high = elect('preferred', 'high', '--priority=2');
    const same = elect('preferred', 'same', '--priority=2');
    const queued = elect('preferred', 'queued');
    await site.leases.untilWaiting('preferred', 1);
    await eventually(
      () => /leading/.test(high.stdout + same.stdout) || undefined,
      () => `nobody leads: ${low.stderr}`,
    );
    expect([low.stdout, queued.stdout]).toEqual([expect.stringContaining('done'), '']);
    expect(low.stderr).toMatch(/(high|same)_\w+ is preferred: the lease is renewed until the command has ended/);
    const count = await transitions('preferred');
    const { resourceVersion } = (await site.leases.get('preferred'))?.metadata ?? {};
    await eventually(
      async () => Number((await site.leases.get('preferred'))?.metadata.resourceVersion) > Number(resourceVersion) + 12,
      () => 'it is not renewed',
    );
    expect(await transitions('preferred')).toBe(count);
    expect((await site.leases.get('preferred'))?.spec).not.toHaveProperty('preferredHolder');
    for (const candidate of [queued, low, high, same]) candidate.signal('SIGTERM');
    await Promise.all([queued, low, high, same].map((candidate) => candidate.result()));
  });

  test('that has died costs one hand-over', async () => {
    const low = elect('dead', 'low', '--priority=1');
    await low.prints(/leading low/);
    const high = elect('dead', 'high', '--priority=2');
    await eventually(
      async () => JSON.stringify((await site.leases.get('dead'))?.metadata.annotations ?? {}).includes('preferred') || undefined,
      () => 'it does not ask',
    );
    high.signal('SIGKILL');
    await low.prints(/leading[^]*done[^]*leading/);
    expect((await site.leases.get('dead'))?.metadata.annotations?.['coordination-apiserver/hand-over']).not.toContain('preferred');
    low.signal('SIGTERM');
    await low.result();
  });

  test('is the same for the program and the package', async () => {
    const low = elect('mixed', 'low', '--priority=1');
    await low.prints(/leading low/);
    const stop = new AbortController();
    const { leases } = new CoordinationClient(httpsTransport(await apiAccess(site.server)));
    const quick = { leaseDuration: 3_000, renewDeadline: 2_000, retryPeriod: 400, releaseOnCancel: true };
    const elector = new LeaderElector({ client: leases, namespace: 'default', name: 'mixed', identity: 'high', priority: 2, ...quick });
    const leading = (async () => {
      for await (const { ending } of elector.terms(stop.signal)) await new Promise((resolve) => ending.addEventListener('abort', resolve));
    })();
    await untilHeld('mixed', 'high');
    const higher = elect('mixed', 'higher', '--priority=3');
    await higher.prints(/leading higher/);
    stop.abort();
    for (const candidate of [low, higher]) candidate.signal('SIGTERM');
    await Promise.all([leading, low.result(), higher.result()]);
  });
});
