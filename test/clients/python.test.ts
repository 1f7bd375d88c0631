import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ServerProcess } from '../support/server-process.js';
import { startServerProcess } from '../support/server-process.js';
import { installPythonClients, runPython } from './python-programs.js';
import { describeWith, PYTHON, PYTHON_VENV } from './toolchain.js';

describeWith([PYTHON, PYTHON_VENV], 'clients in Python', () => {
  let server: ServerProcess;
  let python: string;
  const kubeconfig = () => path.join(server.dataDir, 'admin.kubeconfig');

  beforeAll(async () => {
    python = await installPythonClients();
    server = await startServerProcess();
  }, 600_000);
  afterAll(() => server.stop());

  test('kubernetes: typed calls, patches, apply, pages and a watch', async () => {
    expect(await runPython(python, 'official.py', kubeconfig())).toBe('typed\napply\npages\nwatched\ndone\n');
  });

  test('lightkube: models, lists, apply and a watch', async () => {
    expect(await runPython(python, 'light.py', kubeconfig())).toBe('models\nlists\napply\nwatched\ndone\n');
  });
});
