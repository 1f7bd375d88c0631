import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';
import { ClientProcess } from './client-process.js';
import { eventually } from '../support/eventually.js';
import { buildGoProgram } from './go-programs.js';
import { describeWith, GO } from './toolchain.js';

describeWith([GO], 'leader election with client-go', () => {
  let server: ServerProcess;
  let binary: string;
  let candidates: ClientProcess[] = [];

  beforeAll(async () => {
    binary = await buildGoProgram('elect');
    server = await startServerProcess();
  }, 600_000);
  afterEach(async () => {
    await Promise.all(candidates.map((candidate) => candidate.kill()));
    candidates = [];
  });
  afterAll(() => server.stop());

  const campaign = (lease: string, identity: string, ...flags: string[]) => {
    const kubeconfig = path.join(server.dataDir, 'admin.kubeconfig');
    const candidate = new ClientProcess(binary, [`--kubeconfig=${kubeconfig}`, `--name=${lease}`, `--identity=${identity}`, ...flags]);
    candidates.push(candidate);
    return candidate;
  };

  test('three candidates agree on one leader, and another takes over when it is killed', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((identity) => campaign('killed', identity)) as [ClientProcess, ClientProcess, ClientProcess];
    const leaders = () => [a, b, c].filter((candidate) => candidate.lines.some((line) => line.startsWith('leading')));
    const first = await eventually(
      () => leaders()[0],
      () => 'nobody leads',
    );
    await Promise.all([a, b, c].map((candidate) => candidate.line(/^leader /)));
    expect(leaders()).toHaveLength(1);
    await first.kill();
    const second = await eventually(
      () => leaders().find((one) => one !== first),
      () => 'nobody took over',
    );
    await sleep(1000);
    expect(leaders().filter((one) => one !== first)).toEqual([second]);
  });

  test('a leader that is paused beyond its lease loses it', async () => {
    const slow = campaign('slow', 'slow');
    await slow.line(/^leading slow/);
    const next = campaign('slow', 'next');
    slow.signal('SIGSTOP');
    await next.line(/^leading next/);
    slow.signal('SIGCONT');
    await slow.line(/^lost slow/);
  });
});
