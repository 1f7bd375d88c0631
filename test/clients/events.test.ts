import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';
import { ClientProcess } from './client-process.js';
import { eventually } from '../support/eventually.js';
import { buildGoProgram } from './go-programs.js';
import { describeWithKubectls, GO, KUBECTL_WITH_EVENTS } from './toolchain.js';

const run = promisify(execFile);

describeWithKubectls([GO, KUBECTL_WITH_EVENTS], 'events that client-go records about a lease, with kubectl', (program) => {
  let server: ServerProcess;
  let home: string;
  let candidate: ClientProcess;
  const kubeconfig = () => `--kubeconfig=${path.join(server.dataDir, 'admin.kubeconfig')}`;
  const kubectl = async (...args: string[]) => {
    const { stdout, stderr } = await run(program, [kubeconfig(), `--cache-dir=${home}`, ...args]);
    expect(stderr).toBe('');
    return stdout;
  };

  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'kubectl-cache-'));
    const binary = await buildGoProgram('elect');
    server = await startServerProcess({ flags: ['--event-ttl=20s'] });
    candidate = new ClientProcess(binary, [kubeconfig(), '--name=noted', '--identity=host-1']);
    await candidate.line(/^leading/);
  }, 600_000);
  afterAll(async () => {
    await candidate.kill();
    await server.stop();
    await rm(home, { recursive: true, force: true });
  });

  test('are shown by describe, get and events, and expire', async () => {
    const described = await eventually(
      async () => {
        const text = await kubectl('describe', 'lease', 'noted');
        return text.includes('host-1 became leader') ? text : undefined;
      },
      () => 'no event',
    );
    expect(described).toMatch(
      /Type\s+Reason\s+Age\s+From\s+Message\n\s+-+.*\n\s+Normal\s+LeaderElection\s+\S+\s+elect\s+host-1 became leader/,
    );
    expect(await kubectl('get', 'events')).toMatch(
      /^LAST SEEN\s+TYPE\s+REASON\s+OBJECT\s+MESSAGE\n\S+\s+Normal\s+LeaderElection\s+lease\/noted\s+host-1 became leader\n$/,
    );
    expect(await kubectl('get', 'events.events.k8s.io', '-A', '-o', 'jsonpath={.items[*].regarding.name}')).toBe('noted');
    expect(await kubectl('get', 'events', '-A', '-o', 'wide')).toMatch(/NAMESPACE.*SUBOBJECT\s+SOURCE.*FIRST SEEN\s+COUNT\s+NAME/);
    expect(await kubectl('events', '--for', 'lease/noted')).toContain('host-1 became leader');
    expect(await kubectl('explain', 'event.involvedObject')).toContain('fieldPath');
    expect((await run(program, [kubeconfig(), `--cache-dir=${home}`, 'get', 'ev', '-o', 'name'])).stdout).toMatch(/^event\/noted\.\S+\n$/);
    const gone = async () => (await run(program, [kubeconfig(), 'get', 'events', '-o', 'name'])).stdout === '';
    await eventually(gone, () => 'the event is still there');
  });
});
