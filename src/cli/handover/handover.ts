import type { KubeClient } from '../../kube/kube-client.js';
import type { ClusterAccess, ServiceReference } from './cluster-access.js';

/** What a takeover and a giveback work on. */
export interface Handover {
  readonly cluster: ClusterAccess;
  /** The server that takes the leases. */
  readonly server: KubeClient;
  /** Where kube-apiserver finds the server. */
  readonly service: ServiceReference;
  readonly caBundle: string;
  /** Ends the server's watches with 410 and continues its revisions above those of etcd and the clock. */
  readonly newRevisions: () => Promise<number>;
  /** How long writes of elections may be refused before a takeover gives up, in milliseconds. */
  readonly freezeMs: number;
  /** How long after the switch requests may take to be served by the new side before it is undone, in milliseconds. */
  readonly deadlineMs: number;
  /** Reports each step before it is taken. */
  readonly step: (text: string) => void;
}
