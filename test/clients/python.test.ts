import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { forAllTests } from '../support/for-tests.js';
import { ask } from '../support/http-client.js';
import { scrapeUntil } from '../support/scrape.js';
import { startServerProcess } from '../support/server-process.js';
import { ClientProcess } from './client-process.js';
import { installPythonClients, pythonProgram, runPython } from './python-programs.js';
import { describeWith, PYTHON, PYTHON_VENV } from './toolchain.js';

describeWith([PYTHON, PYTHON_VENV], 'clients in Python', () => {
  let python: string;
  const kubeconfig = () => path.join(server.dataDir, 'admin.kubeconfig');

  beforeAll(async () => {
    python = await installPythonClients();
  }, 600_000);
  const server = forAllTests(() => startServerProcess(), 600_000);

  test('kubernetes: typed calls, patches, apply, pages and a watch', async () => {
    expect(await runPython(python, 'official.py', kubeconfig())).toBe('typed\napply\npages\nwatched\ndone\n');
  });

  // Candidates of both kinds share a lease.
  test.concurrent.each([
    ['threads', 'asyncio'],
    ['asyncio', 'threads'],
  ])('kubernetes: the leader election with %s hands over to one with %s after a kill', async (former, latter) => {
    const campaign = (way: string, identity: string) =>
      new ClientProcess(python, pythonProgram('campaign.py', way, kubeconfig(), former, identity), process.env);
    // With asyncio, 37.0.2 fails to create a lease before it has asked the server: a parameter of its own is of the wrong type.
    const leases = `${server.url}/apis/coordination.k8s.io/v1/namespaces/default/leases`;
    await ask(leases, { method: 'POST', body: { metadata: { name: former }, spec: {} } });
    const first = campaign(former, 'first');
    await first.line(/^leading first/);
    const second = campaign(latter, 'second');
    const holder = async () => {
      const { json } = await ask(`${leases}/${former}`);
      return (json['spec'] as { holderIdentity?: string }).holderIdentity;
    };
    expect(await holder()).toBe('first');
    await first.kill();
    await second.line(/^leading second/);
    expect(await holder()).toBe('second');
    await second.kill();
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
