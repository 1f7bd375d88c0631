import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { forAllTests } from '../support/for-tests.js';
import { startServerProcess } from '../support/server-process.js';
import { clientCache } from './client-cache.js';
import { mustRun } from './run-program.js';
import { CARGO, describeWith } from './toolchain.js';

describeWith([CARGO], 'kube-rs', () => {
  const target = clientCache('rust');

  beforeAll(async () => {
    await mustRun('cargo', ['build', '--quiet'], { cwd: path.join(import.meta.dirname, 'rust'), env: { CARGO_TARGET_DIR: target } });
  }, 1_200_000);
  const server = forAllTests(() => startServerProcess(), 1_200_000);

  test('typed calls, apply, pages, and watchers by list and by stream', async () => {
    const env = { KUBECONFIG: path.join(server.dataDir, 'admin.kubeconfig') };
    const output = await mustRun(path.join(target, 'debug/kube-client'), [], { env });
    expect(output).toBe('typed\napply\npages\nwatched\nstreamed\ndone\n');
  });
});
