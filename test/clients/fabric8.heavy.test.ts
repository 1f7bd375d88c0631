import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { afterAllTests, forAllTests } from '../support/for-tests.js';
import { startServerProcess } from '../support/server-process.js';
import { ClientProcess } from './client-process.js';
import { buildFabric8, FABRIC8_RELEASES, javaProgram } from './java-programs.js';
import { mustRun } from './run-program.js';
import { describeWith, JAVAC, MAVEN } from './toolchain.js';

describeWith([MAVEN, JAVAC], 'fabric8', () => {
  describe.each(FABRIC8_RELEASES)('%s', withRelease);
});

function withRelease(release: string): void {
  const candidates: ClientProcess[] = [];
  const kubeconfig = () => ({ KUBECONFIG: path.join(server.dataDir, 'admin.kubeconfig') });

  beforeAll(async () => {
    await buildFabric8(release);
  }, 1_200_000);
  const server = forAllTests(() => startServerProcess(), 1_200_000);
  afterAllTests(async () => {
    await Promise.all(candidates.map((candidate) => candidate.kill()));
  });

  test('typed calls, patches, apply and an informer', async () => {
    expect(await mustRun('java', javaProgram('Machinery', [], release), { env: kubeconfig() })).toBe(
      `typed\n${release.startsWith('5.') ? '' : 'apply\n'}informer\ndone\n`,
    );
  });

  test('the next candidate leads after the leader is killed', async () => {
    const campaign = (identity: string) => {
      const candidate = new ClientProcess('java', javaProgram('Elect', ['fabric8', identity], release), {
        ...process.env,
        ...kubeconfig(),
      });
      candidates.push(candidate);
      return candidate;
    };
    const first = campaign('first');
    await first.line(/^leading first/, 60_000);
    const second = campaign('second');
    await second.line(/^leader first/, 60_000);
    expect(second.lines).not.toContain('leading second');
    await first.kill();
    await second.line(/^leading second/, 60_000);
  }, 240_000);
}
