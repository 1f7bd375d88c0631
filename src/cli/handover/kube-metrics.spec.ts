import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { KubeClient } from '../../kube/kube-client.js';
import { kubeMetrics } from './kube-metrics.js';

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
