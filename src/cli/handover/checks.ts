import { X509Certificate } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type KubeClient, refusal } from '../../kube/kube-client.js';
import { checkDatabase } from './check-database.js';
import { checkInstances, checkVersions, kubeMetrics } from './check-instances.js';
import type { ClusterAccess, LeaseRoute, ServiceReference } from './cluster-access.js';
import { type HandedLease, type HandedLeases, FIRST_SERVER_REVISION, isHeld, keyOf, listLeases, renewedAt } from './handed-lease.js';
import { type HandoverCheck, ok, problem, warning } from './handover-check.js';

const MAX_SKEW_MS = 1000;
const DAY_MS = 86_400_000;
/** Gates whose controllers make kube-apiserver hang when it stops while leases cannot be written. */
const GATES = ['APIServerIdentity', 'UnknownVersionInteroperabilityProxy'];
const IDENTITY_LABEL = 'apiserver.kubernetes.io/identity';

export interface CheckedHandover {
  readonly cluster: ClusterAccess;
  readonly server: KubeClient;
  readonly route: LeaseRoute;
  readonly service: ServiceReference;
  readonly caBundle: string;
  readonly databaseUrl: string;
}

/** Examines whether leases can be handed to the server; changes nothing but a temporary APIService. */
export async function checkTakeover(handover: CheckedHandover): Promise<HandoverCheck[]> {
  const { cluster, server, route, service, caBundle, databaseUrl } = handover;
  const [inCluster, inServer] = await Promise.all([listLeases(cluster.client, 'all'), listLeases(server, 'all')]);
  return [
    await checkVersions(cluster.instances),
    await checkInstances(cluster, inCluster),
    await checkGates(cluster),
    checkAutomanaged(route),
    checkCertificate(caBundle),
    await checkReachability(cluster.client, service, caBundle),
    await checkDatabase(cluster.client, databaseUrl),
    checkRevisions(inCluster),
    checkClocks(inCluster),
    checkIdentity(inServer, inCluster),
    checkForeign(inServer, inCluster),
    await checkNamespaces(server, inCluster),
    ok('lease candidates', 'stay with kube-apiserver: they are other versions of the group, and its own controller reads them'),
  ];
}

async function checkGates({ instances }: ClusterAccess): Promise<HandoverCheck> {
  const enabled = new Set<string>();
  for (const instance of instances) {
    const metrics = await kubeMetrics(instance, 'kubernetes_feature_enabled');
    if (metrics === undefined) return warning('gates', 'kube-apiserver does not show its metrics to this user');
    for (const { labels, value } of metrics) if (value === 1 && GATES.includes(labels['name'] ?? '')) enabled.add(labels['name'] ?? '');
  }
  if (enabled.size === 0) return ok('gates', `${GATES.join(' and ')} are off`);
  const flags = [...enabled].map((gate) => `${gate}=false`).join(',');
  return problem('gates', `kube-apiserver would hang when it stops while the server is down: start it with --feature-gates=${flags}`);
}

function checkAutomanaged({ automanaged, phase, available, message }: LeaseRoute): HandoverCheck {
  if (!available) return problem('apiservice', `v1.coordination.k8s.io is not available: ${message}`);
  if (automanaged === 'true') return problem('apiservice', 'the label automanaged is "true": kube-apiserver would undo the change at once');
  return ok('apiservice', phase === '' ? 'v1.coordination.k8s.io is served by kube-apiserver' : `v1.coordination.k8s.io is ${phase}`);
}

function checkCertificate(caBundle: string): HandoverCheck {
  try {
    const { validTo, validToDate } = new X509Certificate(caBundle);
    const days = Math.floor((validToDate.getTime() - Date.now()) / DAY_MS);
    if (days < 0) return problem('certificate', `the authority of the server's certificate expired on ${validTo}`);
    return days < 30
      ? warning('certificate', `the authority of the server's certificate expires in ${days} days`)
      : ok('certificate', `the authority of the server's certificate expires in ${days} days`);
  } catch (error) {
    return problem('certificate', `the authority of the server's certificate cannot be read: ${(error as Error).message}`);
  }
}

function checkRevisions({ revision }: HandedLeases): HandoverCheck {
  if (revision < FIRST_SERVER_REVISION) return ok('revisions', `the cluster is at ${revision}, the server continues above 10^15`);
  return problem('revisions', `the cluster is at ${revision}, in the range of the server's revisions`);
}

/** A freeze ends by the clocks of those who renew; one that is ahead would renew during a freeze. */
function checkClocks({ leases }: HandedLeases): HandoverCheck {
  const now = Date.now();
  const ahead = [...leases.values()].filter((lease) => renewedAt(lease) > now + MAX_SKEW_MS);
  if (ahead.length === 0) return ok('clocks', 'no lease was renewed in the future');
  return problem('clocks', `renewed in the future: ${someOf(ahead)}; their holders' clocks, or this machine's, are wrong`);
}

function checkIdentity({ leases }: HandedLeases, inCluster: HandedLeases): HandoverCheck {
  const peers = [...leases].filter(
    ([key, { metadata }]) => metadata?.labels?.[IDENTITY_LABEL] === 'kube-apiserver' && !inCluster.leases.has(key),
  );
  if (peers.length === 0) return ok('identity', 'the server does not appear as a kube-apiserver');
  return problem('identity', 'the server appears as a kube-apiserver: start it with --cluster-kubeconfig');
}

/** Leases that only the server has, and that somebody uses, would be deleted or mixed up with those of the cluster. */
function checkForeign({ leases }: HandedLeases, inCluster: HandedLeases): HandoverCheck {
  const now = Date.now();
  const foreign = [...leases.values()].filter((lease) => isHeld(lease, now) && isForeign(lease, inCluster.leases.get(keyOf(lease))));
  if (foreign.length === 0) return ok('leases', `${inCluster.leases.size} to copy, and nobody uses others on the server`);
  return problem('leases', `held on the server but not by the same holder in the cluster: ${someOf(foreign)}`);
}

function isForeign(lease: HandedLease, there: HandedLease | undefined): boolean {
  return lease.metadata?.labels?.[IDENTITY_LABEL] === undefined && there?.spec?.holderIdentity !== lease.spec?.holderIdentity;
}

async function checkNamespaces(server: KubeClient, { leases }: HandedLeases): Promise<HandoverCheck> {
  const { body } = await server.ask('GET', '/api/v1/namespaces');
  const known = new Set((body.items ?? []).map(({ metadata }) => metadata?.name));
  const wanted = new Set([...leases.values()].map(({ metadata }) => metadata?.namespace));
  const missing = [...wanted].filter((name) => !known.has(name));
  if (missing.length === 0) return ok('namespaces', `the server has all ${wanted.size} in which there are leases`);
  return problem('namespaces', `unknown to the server: ${missing.slice(0, 5).join(', ')}; does it run with --cluster-kubeconfig?`);
}

function someOf(leases: readonly HandedLease[]): string {
  const more = leases.length > 5 ? `, and ${leases.length - 5} more` : '';
  return leases.slice(0, 5).map(keyOf).join(', ') + more;
}

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
async function checkReachability(cluster: KubeClient, service: ServiceReference, caBundle: string): Promise<HandoverCheck> {
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
