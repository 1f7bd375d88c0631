import { type KubeClient, refusal } from '../kube/kube-client.js';
import { type HandedLease, NODE_LEASES, keyOf, leasePath, revisionOf } from './handed-lease.js';
import { contentOf, sameContent } from './lease-content.js';

/** Leases that are written at a time. */
const AT_ONCE = 16;

export interface CopyCounts {
  readonly written: number;
  readonly deleted: number;
  /** Left alone: somebody else wrote them, or their namespace is gone. */
  readonly skipped: number;
}

type Outcome = keyof CopyCounts;

export interface CopyOptions {
  /** Whether the target's lease may be overwritten or deleted. */
  readonly mayReplace: (target: HandedLease, source: HandedLease | undefined) => boolean;
}

/**
 * Makes the leases of `target` equal to `wanted`. Every write names the version that it replaces, so a lease that changes meanwhile is left
 * alone. Elections come before the heartbeats of nodes.
 */
export async function copyLeases(
  target: KubeClient,
  wanted: ReadonlyMap<string, HandedLease>,
  present: ReadonlyMap<string, HandedLease>,
  { mayReplace }: CopyOptions,
): Promise<CopyCounts> {
  const counts = { written: 0, deleted: 0, skipped: 0 };
  const due: (() => Promise<Outcome>)[] = [];
  for (const lease of [...wanted.values()].sort(electionsFirst)) {
    const there = present.get(keyOf(lease));
    if (lease.metadata?.deletionTimestamp !== undefined) continue;
    if (!there) due.push(() => create(target, lease));
    else if (!sameContent(lease, there) && mayReplace(there, lease)) due.push(() => replace(target, lease, there));
  }
  for (const [key, there] of present) if (!wanted.has(key) && mayReplace(there, undefined)) due.push(() => remove(target, there));
  const work = async (): Promise<void> => {
    for (let next = due.shift(); next; next = due.shift()) counts[await next()] += 1;
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return counts;
}

function electionsFirst(one: HandedLease, other: HandedLease): number {
  return Number(one.metadata?.namespace === NODE_LEASES) - Number(other.metadata?.namespace === NODE_LEASES);
}

async function create(target: KubeClient, lease: HandedLease): Promise<Outcome> {
  const collection = leasePath(lease).replace(/\/[^/]*$/, '');
  const answer = await target.ask('POST', collection, contentOf(lease));
  if (answer.status === 201) return 'written';
  if (answer.status === 409 || answer.status === 404 || isTerminating(answer.body.message)) return 'skipped';
  throw refusal(`cannot create the lease ${keyOf(lease)} on ${target.target.server}`, answer);
}

async function replace(target: KubeClient, lease: HandedLease, there: HandedLease): Promise<Outcome> {
  const content = contentOf(lease);
  const metadata = { ...content.metadata, resourceVersion: String(revisionOf(there)) };
  const answer = await target.ask('PUT', leasePath(lease), { ...content, metadata });
  if (answer.status === 200) return 'written';
  if (answer.status === 409 || answer.status === 404) return 'skipped';
  throw refusal(`cannot write the lease ${keyOf(lease)} on ${target.target.server}`, answer);
}

async function remove(target: KubeClient, there: HandedLease): Promise<Outcome> {
  const preconditions = { uid: there.metadata?.uid, resourceVersion: String(revisionOf(there)) };
  const answer = await target.ask('DELETE', leasePath(there), { apiVersion: 'v1', kind: 'DeleteOptions', preconditions });
  if (answer.status === 200) return 'deleted';
  if (answer.status === 409 || answer.status === 404) return 'skipped';
  throw refusal(`cannot delete the lease ${keyOf(there)} on ${target.target.server}`, answer);
}

function isTerminating(message = ''): boolean {
  return message.includes('because it is being terminated');
}
