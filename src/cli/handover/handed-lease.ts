import { type KubeClient, refusal } from '../../kube/kube-client.js';
import type { KubeObject } from '../../kube/kube-object.js';
import { CommandError } from '../output/command-error.js';

export const LEASES = '/apis/coordination.k8s.io/v1/leases';
export const NODE_LEASES = 'kube-node-lease';

/** Revisions of the server behind a cluster are above this, and those of etcd below, so no resourceVersion names two states. */
export const FIRST_SERVER_REVISION = 10n ** 15n;

const PAGE = 500;
const MAX_TRIES = 5;
const IDENTITY_LABEL = 'apiserver.kubernetes.io/identity';
/** Value of that label on the server's own leases behind a cluster, and the name of the lease that elects its controllers. */
const OWN = 'coordination-apiserver';

export interface HandedLease extends KubeObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

/** Leases by `namespace/name`, and the revision of the list. */
export interface HandedLeases {
  readonly leases: ReadonlyMap<string, HandedLease>;
  readonly revision: bigint;
}

/** Reads all leases but the server's own, or only those outside kube-node-lease, consistently. */
export async function listLeases(client: KubeClient, which: 'all' | 'elections'): Promise<HandedLeases> {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const listed = await listOnce(client, which);
    if (listed) return listed;
  }
  throw new CommandError(`the leases of ${client.target.server} change faster than they can be listed: try again`);
}

/** Undefined if the continue token expired. */
async function listOnce(client: KubeClient, which: 'all' | 'elections'): Promise<HandedLeases | undefined> {
  const selector = which === 'all' ? '' : `&fieldSelector=${encodeURIComponent(`metadata.namespace!=${NODE_LEASES}`)}`;
  const leases = new Map<string, HandedLease>();
  let token = '';
  for (;;) {
    const more = token === '' ? '' : `&continue=${encodeURIComponent(token)}`;
    const answer = await client.ask('GET', `${LEASES}?limit=${PAGE}${selector}${more}`);
    if (answer.status === 410) return undefined;
    if (answer.status !== 200) throw refusal(`cannot list the leases of ${client.target.server}`, answer);
    for (const lease of (answer.body.items ?? []) as HandedLease[]) if (!isOwn(lease)) leases.set(keyOf(lease), lease);
    token = answer.body.metadata?.continue ?? '';
    if (token === '') return { leases, revision: BigInt(answer.body.metadata?.resourceVersion ?? '0') };
  }
}

export function keyOf({ metadata }: KubeObject): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}

export function leasePath({ metadata }: KubeObject): string {
  const { namespace = '', name = '' } = metadata ?? {};
  return `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases/${encodeURIComponent(name)}`;
}

export function revisionOf({ metadata }: KubeObject): bigint {
  return BigInt(metadata?.resourceVersion ?? '0');
}

/** Milliseconds; 0 for a lease that was never renewed. */
export function renewedAt({ spec }: HandedLease): number {
  const time = Date.parse(spec?.renewTime ?? '');
  return Number.isNaN(time) ? 0 : time;
}

/** Whether somebody holds the lease and has renewed it in time. */
export function isHeld(lease: HandedLease, nowMs: number): boolean {
  const { holderIdentity = '', leaseDurationSeconds = 0 } = lease.spec ?? {};
  return holderIdentity !== '' && renewedAt(lease) + leaseDurationSeconds * 1000 > nowMs;
}

/** The server's own leases stay with it. */
function isOwn({ metadata }: KubeObject): boolean {
  return metadata?.labels?.[IDENTITY_LABEL] === OWN || (metadata?.namespace === 'kube-system' && metadata.name === OWN);
}
