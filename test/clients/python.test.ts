import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ask } from '../support/http-client.js';
import { scrapeUntil } from '../support/scrape.js';
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

  test('prometheus_client: parses the text of /metrics', async () => {
    const body = { metadata: { name: 'counted' }, spec: {} };
    await ask(`${server.url}/apis/coordination.k8s.io/v1/namespaces/default/leases?dryRun=All`, { method: 'POST', body });
    const line = 'verb="POST",dry_run="All",group="coordination.k8s.io",version="v1",resource="leases",subresource="",scope="resource"';
    await scrapeUntil(server.url, `apiserver_request_total{${line},component="apiserver",code="201"} 1`);
    const file = path.join(server.dataDir, 'metrics.txt');
    await writeFile(file, (await ask(`${server.url}/metrics`)).text);
    expect(await runPython(python, 'metrics.py', file)).toBe('done\n');
  });

  test('lightkube: models, lists, apply and a watch', async () => {
    expect(await runPython(python, 'light.py', kubeconfig())).toBe('models\nlists\napply\nwatched\ndone\n');
  });
});
