import { setTimeout as sleep } from 'node:timers/promises';
import { type KubeClient, refusal } from '../../kube/kube-client.js';
import type { ServiceReference } from './cluster-access.js';
import { type HandoverCheck, ok, problem } from './handover-check.js';

const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
/** A group that nobody serves: kube-apiserver reports with which answer the server refused it. */
const GROUP = 'reachability.coordination-apiserver';
const NAME = `v1.${GROUP}`;
const PATIENCE_MS = 20_000;
const POLL_MS = 200;

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/**
 * Lets kube-apiserver look for the server through the service, as it will for leases: a temporary APIService of a group that the server does
 * not have. A 404 is the server's own answer, after a connection whose certificate kube-apiserver accepted.
 */
export async function checkReachability(cluster: KubeClient, service: ServiceReference, caBundle: string): Promise<HandoverCheck> {
  const where = `${service.namespace}/${service.name}:${service.port}`;
  const created = await cluster.ask('POST', API_SERVICES, {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: NAME },
    spec: {
      group: GROUP,
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      service,
      caBundle: Buffer.from(caBundle).toString('base64'),
    },
  });
  if (created.status === 409) {
    await cluster.ask('DELETE', `${API_SERVICES}/${NAME}`);
    return checkReachability(cluster, service, caBundle);
  }
  if (created.status !== 201) throw refusal('cannot create an APIService', created);
  try {
    const seen = await answerOf(cluster);
    if (seen.includes('404')) return ok('reachability', `kube-apiserver reaches the server at ${where}`);
    return problem('reachability', `kube-apiserver does not reach the server at ${where}: ${seen}`);
  } finally {
    await cluster.ask('DELETE', `${API_SERVICES}/${NAME}`);
  }
}

async function answerOf(cluster: KubeClient): Promise<string> {
  let seen = 'no answer yet';
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const { body } = await cluster.ask('GET', `${API_SERVICES}/${NAME}`);
    const { conditions = [] } = (body.status ?? {}) as { conditions?: readonly Condition[] };
    const available = conditions.find(({ type }) => type === 'Available');
    if (available?.status === 'True') return '404';
    if (available?.message !== undefined) seen = available.message;
    if (seen.includes('404')) break;
  }
  return seen;
}
