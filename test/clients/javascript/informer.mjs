// An informer of @kubernetes/client-node that restarts after each error, as its documentation advises.
//
//     node informer.mjs KUBECONFIG
//
// Prints one line per event ("add NAME HOLDER"), per list ("list") and per error ("error CODE"), until it is killed.
import { CoordinationV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';

const config = new KubeConfig();
config.loadFromFile(process.argv[2]);
const api = config.makeApiClient(CoordinationV1Api);
const list = () => {
  console.log('list');
  return api.listNamespacedLease({ namespace: 'default' });
};
const informer = makeInformer(config, '/apis/coordination.k8s.io/v1/namespaces/default/leases', list);
for (const kind of ['add', 'update', 'delete']) {
  informer.on(kind, (lease) => console.log(kind, lease.metadata.name, lease.spec.holderIdentity));
}
informer.on('error', (error) => {
  console.log('error', error?.statusCode ?? error?.code ?? error?.message);
  setTimeout(() => void informer.start(), 200);
});
await informer.start();
