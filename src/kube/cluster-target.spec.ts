import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TestCertificate, authority, certificate, extension } from '../../test/support/certificates.js';
import { clusterTarget } from './cluster-target.js';
import { KubeClient } from './kube-client.js';

/** DER of the subject alternative name 127.0.0.1. */
const LOCAL = '300687047f000001';
let account: string;
let root: TestCertificate;
let cluster: https.Server;
let port: string;
/** The Authorization headers that the cluster has received. */
const seen: (string | undefined)[] = [];

beforeAll(async () => {
  account = mkdtempSync(path.join(tmpdir(), 'service-account-'));
  root = await authority('cluster');
  const { cert, key } = await certificate('CN=kube-apiserver', {
    issuer: root,
    usages: ['serverAuth'],
    extensions: [extension('2.5.29.17', false, LOCAL)],
  });
  cluster = https.createServer({ cert, key }, ({ headers }, response) => {
    seen.push(headers.authorization);
    response.end('{"kind":"NamespaceList"}');
  });
  await new Promise<void>((resolve) => cluster.listen(0, '127.0.0.1', resolve));
  port = String((cluster.address() as AddressInfo).port);
});
afterAll(async () => {
  rmSync(account, { recursive: true, force: true });
  cluster.closeAllConnections();
  await new Promise((resolve) => cluster.close(resolve));
});

const write = (name: string, content: string) => writeFileSync(path.join(account, name), content);
const inPod = (environment: NodeJS.ProcessEnv) => clusterTarget('in-cluster', { pod: { environment, account } });

describe('in-cluster', () => {
  it("reaches the cluster with the pod's account, whose token may be replaced while the server runs", async () => {
    write('ca.crt', root.cert);
    write('token', 'first\n');
    const client = new KubeClient(inPod({ KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: port }));
    expect(await client.ask('GET', '/api/v1/namespaces')).toMatchObject({ status: 200, body: { kind: 'NamespaceList' } });
    write('token', 'second');
    await client.ask('GET', '/api/v1/namespaces');
    expect(seen).toEqual(['Bearer first', 'Bearer second']);
    client.close();
  });

  it("trusts no authority but the account's", async () => {
    write('ca.crt', (await authority('cluster')).cert);
    write('token', 'secret');
    seen.length = 0;
    const client = new KubeClient(inPod({ KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: port }));
    await expect(client.ask('GET', '/api/v1/namespaces')).rejects.toThrow('cannot reach https://127.0.0.1');
    expect(seen).toEqual([]);
    client.close();
  });

  it('compares an expected address with the certificate, without a warning of Node', async () => {
    const warnings: string[] = [];
    const warned = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', warned);
    const named = (serverName: string) => new KubeClient({ server: `https://localhost:${port}`, ca: root.cert, serverName });
    expect(await named('127.0.0.1').ask('GET', '/api/v1/namespaces')).toMatchObject({ status: 200 });
    await expect(named('127.0.0.2').ask('GET', '/api/v1/namespaces')).rejects.toThrow("IP: 127.0.0.2 is not in the cert's list");
    await expect(named('localhost').ask('GET', '/api/v1/namespaces')).rejects.toThrow("Host: localhost. is not cert's CN");
    process.off('warning', warned);
    expect(warnings).toEqual([]);
  });

  it('reads IPv6 addresses, and port 443 where none is given', () => {
    expect(inPod({ KUBERNETES_SERVICE_HOST: 'fd00::1' }).server).toBe('https://[fd00::1]:443');
    expect(inPod({ KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' }).server).toBe('https://[fd00::1]:6443');
  });

  it('is refused outside of a pod, and without its files', () => {
    expect(() => inPod({})).toThrow('--cluster-kubeconfig: in-cluster works in a pod only');
    const environment = { KUBERNETES_SERVICE_HOST: '127.0.0.1' };
    expect(() => clusterTarget('in-cluster', { pod: { environment, account: path.join(account, 'none') } })).toThrow(
      `--cluster-kubeconfig: cannot read ${account}/none/`,
    );
  });
});
