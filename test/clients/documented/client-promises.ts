import { spawnSync } from 'node:child_process';
import { writeFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ServerProcess } from '../../support/server-process.js';
import { startServerProcess } from '../../support/server-process.js';
import { ClientProcess, eventually } from '../client-process.js';
import { TcpProxy } from '../tcp-proxy.js';
import { Fence } from './fence.js';

/** A command line, to which the program name (`elect` or `members`) and the process's own arguments are added. */
export type Command = (program: 'elect' | 'members') => readonly string[];

const LEADING = /^leading (\d+)$/;
/** The lease duration, a retry, and a margin for slow machines. */
const TAKE_OVER_MS = 45_000;
/** Less than the lease duration of fifteen seconds. */
const RELEASE_MS = 12_000;
/** Exit codes after a stop signal; Java's contain the signal's number. */
const TOLD = [0, 130, 143];

/** The promises that every page below docs/clients makes of its program; `prepare` builds it and returns the command that starts it. */
export function itKeepsThePromises(prepare: () => Promise<Command>): void {
  let server: ServerProcess;
  let proxy: TcpProxy;
  const closers: (() => Promise<void>)[] = [];
  let command: Command;
  const processes: ClientProcess[] = [];

  beforeAll(async () => {
    command = await prepare();
    server = await startServerProcess();
    closers.push(() => server.stop());
    proxy = await TcpProxy.to(server.port);
    closers.push(() => proxy.close());
  }, 1_200_000);
  afterAll(async () => {
    await Promise.all(processes.map((process) => process.kill()));
    for (const close of closers.reverse()) await close();
  });

  const start = (program: 'elect' | 'members', name: string, access: NodeJS.ProcessEnv) => {
    const [executable = '', ...args] = command(program);
    const { KUBECONFIG: _, NODE_OPTIONS: __, ...environment } = process.env;
    const started = new ClientProcess(executable, [...args, name], { ...environment, ...access });
    processes.push(started);
    return started;
  };
  const byKubeconfig = () => ({ KUBECONFIG: path.join(server.dataDir, 'admin.kubeconfig') });
  const byToken = async (port = server.port) => {
    const { clusters } = JSON.parse(await readFile(byKubeconfig().KUBECONFIG, 'utf8')) as AdminKubeconfig;
    const file = path.join(server.dataDir, 'authority.crt');
    await writeFile(file, Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64'));
    return { SERVER: `https://127.0.0.1:${port}`, TOKEN: 'admin-token', CA_FILE: file };
  };
  const token = async (leader: ClientProcess, withinMs: number) => LEADING.exec(await leader.line(LEADING, withinMs))?.[1] ?? '';

  test('without a name, the programs print their usage', () => {
    for (const program of ['elect', 'members'] as const) {
      const [executable = '', ...args] = command(program);
      const { status, stderr } = spawnSync(executable, args, { encoding: 'utf8', env: { ...process.env, ...byKubeconfig() } });
      expect(stderr).toMatch(/usage: .*NAME\n$/);
      expect(status).toBeGreaterThan(0);
    }
  }, 60_000);

  test('elect: another candidate takes over from a killed leader, and the fence refuses the old token', async () => {
    const fence = await Fence.build();
    closers.push(() => fence.close());
    const first = start('elect', 'first', byKubeconfig());
    const before = await token(first, TAKE_OVER_MS);
    const second = start('elect', 'second', await byToken());
    await sleep(3000);
    expect(second.lines.filter((line) => LEADING.test(line))).toEqual([]);
    expect(await fence.write(before)).toBe(true);
    await first.kill();
    const after = await token(second, TAKE_OVER_MS);
    expect(await fence.write(after)).toBe(true);
    expect(await fence.write(before)).toBe(false);
    await second.kill();
  }, 180_000);

  test('elect: a stopped leader hands over at once, and one cut off from the server stops by itself', async () => {
    const first = start('elect', 'first', byKubeconfig());
    await token(first, TAKE_OVER_MS);
    const second = start('elect', 'second', await byToken(proxy.port));
    await sleep(3000);
    first.signal('SIGINT'); // Ctrl-C; members are stopped by SIGTERM
    await token(second, RELEASE_MS);
    await first.line(/^lost$/);
    await ended(first, TOLD);
    proxy.block();
    await second.line(/^lost$/);
    await ended(second, [1]);
  }, 180_000);

  test('members: they see each other join, stop and be killed, also across cut connections', async () => {
    const shows = (member: ClientProcess, ...names: string[]) => {
      const wanted = `members ${names.join(' ')}`;
      const last = () => member.lines.filter((line) => line.startsWith('members')).at(-1);
      return eventually(
        () => (last() === wanted ? true : undefined),
        TAKE_OVER_MS,
        () => `no "${wanted}" at the end of:\n${member.lines.join('\n')}`,
      );
    };
    proxy.restore();
    const a = start('members', 'a', await byToken(proxy.port));
    const b = start('members', 'b', byKubeconfig());
    await Promise.all([shows(a, 'a', 'b'), shows(b, 'a', 'b')]);
    b.signal('SIGTERM');
    await shows(a, 'a');
    await ended(b, TOLD);
    proxy.cut();
    const c = start('members', 'c', byKubeconfig());
    await Promise.all([shows(a, 'a', 'c'), shows(c, 'a', 'c')]);
    await c.kill();
    await shows(a, 'a');
    await a.kill();
  }, 180_000);
}

interface AdminKubeconfig {
  readonly clusters: readonly [{ readonly cluster: { readonly 'certificate-authority-data': string } }];
}

async function ended(process: ClientProcess, codes: readonly number[]): Promise<void> {
  const how = await eventually(
    () => process.ended,
    20_000,
    () => `still runs:\n${process.lines.join('\n')}`,
  );
  expect(codes).toContain(how);
}
