import path from 'node:path';
import { KubeClient } from './kube-client.js';
import { type KubeTarget, withoutPlugin } from './kube-target.js';
import { KubeconfigError, ofFlag, readText } from './kubeconfig.js';
import { readKubeTarget } from './read-kube-target.js';

/** The value of --cluster-kubeconfig in a pod: its service account. */
const IN_CLUSTER = 'in-cluster';

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** Where a pod finds its cluster and its account; for tests. */
interface Pod {
  readonly environment?: NodeJS.ProcessEnv;
  readonly account?: string;
}

interface ClusterTargetOptions {
  readonly context?: string;
  /** Whether the caller runs a credential plugin that the kubeconfig names. */
  readonly runsPlugins?: boolean;
  readonly pod?: Pod;
}

/** The cluster that `--cluster-kubeconfig` names: a kubeconfig, or `in-cluster` for the account of this pod. Throws a KubeconfigError. */
export function clusterTarget(given: string, { context, runsPlugins = false, pod }: ClusterTargetOptions = {}): KubeTarget {
  return ofFlag('--cluster-kubeconfig', () => {
    const target = given === IN_CLUSTER ? podTarget(pod) : readKubeTarget([given], context);
    return runsPlugins ? target : withoutPlugin(target);
  });
}

/** A client for that cluster. Throws a KubeconfigError. */
export function clusterClient(given: string): KubeClient {
  return new KubeClient(clusterTarget(given), { timeoutMs: TIMEOUT_MS, maxBytes: MAX_RESPONSE_BYTES });
}

/** The cluster of this pod, with its service account. Throws a KubeconfigError. */
export function podTarget({ environment = process.env, account = ACCOUNT }: Pod = {}): KubeTarget {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = environment;
  if (host === undefined) throw new KubeconfigError(`${IN_CLUSTER} works in a pod only`);
  const read = (name: string): string => readText(path.join(account, name));
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ca: read('ca.crt'),
    authorization: () => `Bearer ${read('token').trim()}`,
  };
}
