// An elector's first write as it is often written: wrong-time.mjs KUBECONFIG NAME
import { KubeConfig, KubernetesObjectApi } from '@kubernetes/client-node';

const [, , kubeconfig, name] = process.argv;
const config = new KubeConfig();
config.loadFromFile(kubeconfig);
const lease = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, namespace: 'default' },
  spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: new Date(Date.UTC(2026, 0, 2, 15, 4, 5, 123)).toISOString() },
};
await KubernetesObjectApi.makeApiClient(config)
  .create(lease)
  .then(
    () => process.exit(1),
    ({ code }) => console.log(code),
  );
