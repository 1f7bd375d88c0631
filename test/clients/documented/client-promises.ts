import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ClientProcess } from '../client-process.js';
import { eventually } from '../../support/eventually.js';
import { type Command, ClientSite } from './client-site.js';
import { Fence } from './fence.js';

const LEADING = /^leading (\d+)$/;
/** Less than the lease duration of fifteen seconds. */
const RELEASE_MS = 12_000;
/** Exit codes after a stop signal; Java's contain the signal's number. */
const TOLD = [0, 130, 143];

/**
 * The promises that every page below docs/clients makes of its program; `prepare` builds it and returns the command that starts it. The
 * programs wait for leases to expire, so the tests run at once, each election on a server of its own.
 */
export function itKeepsThePromises(prepare: () => Promise<Command>): void {
  let command: Command;
  let fence: Fence;
  /** The first is also that of the members. */
  let sites: readonly [ClientSite, ClientSite];

  beforeAll(async () => {
    command = await prepare();
    fence = await Fence.build();
    sites = await Promise.all([ClientSite.open(command), ClientSite.open(command)]);
  }, 1_200_000);
  afterAll(async () => {
    await Promise.all(sites.map((site) => site.close()));
    await fence.close();
  });

  const token = async (leader: ClientProcess, withinMs?: number) => LEADING.exec(await leader.line(LEADING, withinMs))?.[1] ?? '';

  test('without a name, the programs print their usage', () => {
    for (const program of ['elect', 'members'] as const) {
      const [executable = '', ...args] = command(program);
      const { status, stderr } = spawnSync(executable, args, { encoding: 'utf8', env: { ...process.env, ...sites[0].byKubeconfig() } });
      expect(stderr).toMatch(/usage: .*NAME\n$/);
      expect(status).toBeGreaterThan(0);
    }
  });

  test.concurrent('elect: another candidate takes over from a killed leader, and the fence refuses the old token', async () => {
    const [site] = sites;
    const first = site.start('elect', 'first', site.byKubeconfig());
    const before = await token(first);
    const second = site.start('elect', 'second', await site.byToken());
    await site.renewedBesideACandidate();
    expect(second.lines.filter((line) => LEADING.test(line))).toEqual([]);
    expect(await fence.write(before)).toBe(true);
    await first.kill();
    const after = await token(second);
    expect(await fence.write(after)).toBe(true);
    expect(await fence.write(before)).toBe(false);
    await second.kill();
  });

  test.concurrent('elect: a stopped leader hands over at once, and one cut off from the server stops by itself', async () => {
    const [, site] = sites;
    const first = site.start('elect', 'first', site.byKubeconfig());
    await token(first);
    const second = site.start('elect', 'second', await site.byToken());
    await site.renewedBesideACandidate();
    first.signal('SIGINT'); // Ctrl-C; members are stopped by SIGTERM
    await token(second, RELEASE_MS);
    await first.line(/^no longer leading$/);
    await ended(first, TOLD);
    site.proxy.block();
    await second.line(/^no longer leading$/);
    await ended(second, [1]);
  });

  test.concurrent('members: they see each other join, stop and be killed, also across cut connections', async () => {
    const [site] = sites;
    const a = site.start('members', 'a', await site.byToken());
    const b = site.start('members', 'b', site.byKubeconfig());
    await Promise.all([shows(a, 'a', 'b'), shows(b, 'a', 'b')]);
    b.signal('SIGTERM');
    await shows(a, 'a');
    await ended(b, TOLD);
    site.proxy.resetAll();
    const c = site.start('members', 'c', site.byKubeconfig());
    await Promise.all([shows(a, 'a', 'c'), shows(c, 'a', 'c')]);
    await c.kill();
    await shows(a, 'a');
    await a.kill();
  });
}

async function shows(member: ClientProcess, ...names: string[]): Promise<void> {
  const wanted = `members ${names.join(' ')}`;
  const last = () => member.lines.filter((line) => line.startsWith('members')).at(-1);
  await eventually(
    () => last() === wanted,
    () => `no "${wanted}" at the end of:\n${member.lines.join('\n')}`,
  );
}

async function ended(process: ClientProcess, codes: readonly number[]): Promise<void> {
  const how = await eventually(
    () => process.ended,
    () => `still runs:\n${process.lines.join('\n')}`,
  );
  expect(codes).toContain(how);
}
