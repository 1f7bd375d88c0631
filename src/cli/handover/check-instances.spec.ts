import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { KubeClient } from '../../kube/kube-client.js';
import { checkInstances, checkVersions, kubeMetrics } from './check-instances.js';
import type { HandedLease } from './handed-lease.js';

type Answers = Record<string, object>;

/** An instance with these answers; others are 404. */
const instance = (server: string, answers: Answers = {}) => ({
  target: { server },
  ask: (_: string, path: string) => Promise.resolve({ status: answers[path] ? 200 : 404, body: answers[path] ?? {} }),
  askText: () => Promise.resolve({ status: 404, text: '' }),
  close: () => undefined,
});
/** One whose processes started at these times, and answer in turn. */
const started = (...seconds: number[]) => {
  let asked = 0;
  const text = () => `# TYPE x gauge\nprocess_start_time_seconds ${seconds[asked++ % seconds.length]}`;
  return { ...instance('https://one'), askText: () => Promise.resolve({ status: 200, text: text() }) };
};
const plane = (instances: ReturnType<typeof instance>[], unreachable: string[] = []) => {
  const [first = instance('https://none')] = instances;
  return { instances, unreachable, connect: () => first };
};
const identities = (...ages: number[]) => ({
  revision: 1n,
  leases: new Map(
    ages.map((seconds, at): [string, HandedLease] => [
      `kube-system/apiserver-${at}`,
      {
        metadata: { name: `apiserver-${at}`, labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver' } },
        spec: {
          holderIdentity: `apiserver-${at}`,
          leaseDurationSeconds: 3600,
          renewTime: new Date(Date.now() - seconds * 1000).toISOString(),
        },
      },
    ]),
  ),
});

describe('checkInstances', () => {
  it('passes one or several instances that can each be reached', async () => {
    expect(await checkInstances(plane([started(1000)]))).toMatchObject({ state: 'ok' });
    expect(await checkInstances(plane([instance('https://one'), instance('https://two')]))).toMatchObject({ state: 'ok' });
  });

  it('names instances that cannot be reached', async () => {
    const found = await checkInstances(plane([instance('https://one')], ['10.0.0.2:6443']));
    expect([found.state, found.detail]).toEqual(['problem', expect.stringContaining('10.0.0.2:6443')]);
  });

  it('finds a load balancer in front of several instances', async () => {
    const found = await checkInstances(plane([started(1000, 2000)]));
    expect([found.state, found.detail]).toEqual(['problem', expect.stringContaining('several kube-apiservers answer at https://one')]);
  });

  it('counts instances by the identities that they renew, without those that have ended', async () => {
    expect(await checkInstances(plane([started(1000)]), identities(5, 10))).toMatchObject({ state: 'problem' });
    expect(await checkInstances(plane([started(1000)]), identities(5, 7200))).toMatchObject({ state: 'ok' });
  });
});

describe('checkVersions', () => {
  const at = (minor: string) => instance('https://one', { '/version': { minor, gitVersion: `v1.${minor.replace('+', '')}.0` } });

  it('passes instances of one version', async () => {
    expect(await checkVersions([at('36'), at('36')])).toMatchObject({ state: 'ok', detail: 'kube-apiserver v1.36.0' });
  });

  it('refuses one that is too old, whichever it is', async () => {
    expect(await checkVersions([at('36'), at('29+')])).toMatchObject({ state: 'problem', detail: expect.stringContaining('v1.29.0') });
  });

  it('warns of an upgrade under way', async () => {
    expect(await checkVersions([at('36'), at('35')])).toMatchObject({ state: 'warning' });
  });
});

it('reads the text that kube-apiserver answers', async () => {
  const text = '# TYPE kubernetes_feature_enabled gauge\nkubernetes_feature_enabled{name="A",stage="BETA"} 1\nother 2\n';
  const server = http.createServer((_, response) => response.setHeader('content-type', 'text/plain; version=0.0.4').end(text));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new KubeClient({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  try {
    expect(await kubeMetrics(client, 'kubernetes_feature_enabled')).toEqual([{ labels: { name: 'A', stage: 'BETA' }, value: 1 }]);
  } finally {
    client.close();
    server.close();
  }
});
