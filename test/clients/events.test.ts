import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { afterAllTests, forAllTests } from '../support/for-tests.js';
import { startServerProcess } from '../support/server-process.js';
import { ClientProcess } from './client-process.js';
import { eventually } from '../support/eventually.js';
import { buildGoProgram } from './go-programs.js';
import { Kubectl } from './kubectl-program.js';
import { describeWithKubectls, GO, KUBECTL_WITH_EVENTS } from './toolchain.js';

describeWithKubectls([GO, KUBECTL_WITH_EVENTS], 'events that client-go records about a lease, with kubectl', (program) => {
  const server = forAllTests(() => startServerProcess({ flags: ['--event-ttl=20s'] }));
  const client = forAllTests(() => Kubectl.of(server.dataDir, program));
  const kubectl = (...args: string[]) => client.ok(...args);
  let candidate: ClientProcess;

  beforeAll(async () => {
    const kubeconfig = path.join(server.dataDir, 'admin.kubeconfig');
    candidate = new ClientProcess(await buildGoProgram('elect'), [`--kubeconfig=${kubeconfig}`, '--name=noted', '--identity=host-1']);
    await candidate.line(/^leading/);
  }, 600_000);
  afterAllTests(() => candidate.kill());

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
    expect(await client.printed(['get', 'ev', '-o', 'name'])).toMatch(/^event\/noted\.\S+\n$/);
    const gone = async () => (await client.run(['get', 'events', '-o', 'name'])).stdout === '';
    await eventually(gone, () => 'the event is still there');
  });
});
