/** The package's public surface. */
export type { Clock } from '../../kube-client/src/clock.js';
export { systemClock } from '../../kube-client/src/clock.js';
export { kubeConfigConnection, leaseCandidatesOfApi, leasesOfApi } from './client-node.js';
export type { CoordinationV1ApiLike, CoordinationV1beta1ApiLike, KubeConfigLike } from './client-node.js';
export { CoordinationClient } from '../../kube-client/src/coordination-client.js';
export type { CoordinatedOptions, LeaderCallbacks, LeaderElectorOptions } from './elector-options.js';
export { fetchTransport } from '../../kube-client/src/transport.js';
export type { FetchTransportOptions } from '../../kube-client/src/transport.js';
export { httpsTransport } from '../../kube-client/src/https-transport.js';
export type { HttpsConnection } from '../../kube-client/src/https-transport.js';
export { inClusterConnection } from '../../kube-client/src/in-cluster.js';
export type { InClusterConnection, InClusterOptions } from '../../kube-client/src/in-cluster.js';
export { KubernetesError } from '../../kube-client/src/coordination-client.js';
export type {
  KubernetesObject,
  Lease,
  LeaseCandidateObject,
  LeaseCandidateSpec,
  LeaseSpec,
  ObjectMeta,
} from '../../kube-client/src/kubernetes-objects.js';
export { LeaderElector } from './leader-elector.js';
export { TermEndedError } from './leadership-term.js';
export type { LeadershipTerm, TermEnd } from './leadership-term.js';
export { LeaseCandidate } from './lease-candidate.js';
export type { LeaseCandidateOptions } from './lease-candidate.js';
export type { LeaseCandidateClient, LeaseClient, ObjectClient } from '../../kube-client/src/coordination-client.js';
export type { ApiRequest, ApiResponse, Transport } from '../../kube-client/src/transport.js';
