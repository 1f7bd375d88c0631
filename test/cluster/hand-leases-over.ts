import { ask } from '../support/http-client.js';
import { eventually } from '../support/eventually.js';
import type { RealCluster } from './real-cluster.js';

const API_SERVICE = '/apis/apiregistration.k8s.io/v1/apiservices/v1.coordination.k8s.io';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const MANAGED = 'kube-aggregator.kubernetes.io/automanaged';

/** Points the cluster's APIService at the service `leases` of kube-system, without copying anything, and waits until requests arrive at the server. */
export async function handLeasesOver(cluster: RealCluster, serverUrl: string, port = 443): Promise<void> {
  await patch(cluster, {
    metadata: { labels: { [MANAGED]: null } },
    spec: { service: { namespace: 'kube-system', name: 'leases', port }, insecureSkipTLSVerify: true },
  });
  await untilProbed(cluster, serverUrl, 200);
}

/** Lets kube-apiserver serve leases from etcd again, and waits until it does. */
export async function takeLeasesBack(cluster: RealCluster, serverUrl: string): Promise<void> {
  await patch(cluster, { metadata: { labels: { [MANAGED]: 'onstart' } }, spec: { service: null, insecureSkipTLSVerify: false } });
  await untilProbed(cluster, serverUrl, 404);
}

async function patch(cluster: RealCluster, body: object): Promise<void> {
  const headers = { 'content-type': 'application/merge-patch+json' };
  const { status, text } = await cluster.ask(API_SERVICE, { method: 'PATCH', headers, body });
  if (status !== 200) throw new Error(`the APIService cannot be changed: ${status} ${text}`);
}

/** A lease created through the cluster is at the server (200), or is not (404). */
async function untilProbed(cluster: RealCluster, serverUrl: string, expected: number): Promise<void> {
  await eventually(
    async () => {
      const name = `probe-${performance.now().toString(36).replace('.', '-')}`;
      const made = await cluster.ask(LEASES, { method: 'POST', body: { metadata: { name } } });
      return made.status === 201 && (await ask(`${serverUrl}${LEASES}/${name}`)).status === expected;
    },
    () => 'kube-apiserver does not follow its APIService',
    60_000,
  );
}
