import { omitEmpty } from '../../apimachinery/go/omit-empty.js';
import { type KubeClient, refusal } from '../../kube/kube-client.js';
import { type HandedLease, NODE_LEASES, keyOf, leasePath, revisionOf } from './handed-lease.js';

/** Leases that are written at a time. */
const AT_ONCE = 16;

/**
 * Makes the leases of `target` equal to `wanted`. Every write names the version that it replaces, so a lease that changes meanwhile is left
 * alone. Elections come before the heartbeats of nodes. `mayReplace`: whether the target's lease may be overwritten or deleted.
 */
export async function copyLeases(
  target: KubeClient,
  wanted: ReadonlyMap<string, HandedLease>,
  present: ReadonlyMap<string, HandedLease>,
  mayReplace: (target: HandedLease, source: HandedLease | undefined) => boolean = () => true,
): Promise<void> {
  const due: LeaseWrite[] = [];
  for (const lease of [...wanted.values()].sort(electionsFirst)) {
    const there = present.get(keyOf(lease));
    if (lease.metadata?.deletionTimestamp !== undefined) continue;
    if (!there) due.push(creation(lease));
    else if (!sameContent(lease, there) && mayReplace(there, lease)) due.push(replacement(lease, there));
  }
  for (const [key, there] of present) if (!wanted.has(key) && mayReplace(there, undefined)) due.push(deletion(there));
  const work = async (): Promise<void> => {
    for (let next = due.shift(); next; next = due.shift()) await send(target, next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function electionsFirst(one: HandedLease, other: HandedLease): number {
  return Number(one.metadata?.namespace === NODE_LEASES) - Number(other.metadata?.namespace === NODE_LEASES);
}

interface LeaseWrite {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly body: object;
}

function creation(lease: HandedLease): LeaseWrite {
  const path = leasePath(lease).replace(/\/[^/]*$/, '');
  return { what: `create the lease ${keyOf(lease)}`, method: 'POST', path, body: contentOf(lease) };
}

function replacement(lease: HandedLease, there: HandedLease): LeaseWrite {
  const content = contentOf(lease);
  const body = { ...content, metadata: { ...content.metadata, resourceVersion: String(revisionOf(there)) } };
  return { what: `write the lease ${keyOf(lease)}`, method: 'PUT', path: leasePath(lease), body };
}

function deletion(there: HandedLease): LeaseWrite {
  const preconditions = { uid: there.metadata?.uid, resourceVersion: String(revisionOf(there)) };
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions };
  return { what: `delete the lease ${keyOf(there)}`, method: 'DELETE', path: leasePath(there), body };
}

/** Leaves it alone where somebody else wrote the lease, or its namespace is gone or about to be. */
async function send(target: KubeClient, { what, method, path, body }: LeaseWrite): Promise<void> {
  const answer = await target.ask(method, path, body);
  const isTerminating = answer.body.message?.includes('because it is being terminated') ?? false;
  if (![200, 201, 404, 409].includes(answer.status) && !isTerminating) throw refusal(`cannot ${what} on ${target.target.server}`, answer);
}

/** What both sides have in common of a lease: everything but the fields that a server assigns. */
export function contentOf({ metadata = {}, spec }: HandedLease): HandedLease {
  const { name, namespace, labels, annotations, ownerReferences, finalizers } = metadata;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: omitEmpty({ name, namespace, labels, annotations, ownerReferences, finalizers }),
    spec: spec ?? {},
  };
}

export function sameContent(one: HandedLease, other: HandedLease): boolean {
  return canonical(contentOf(one)) === canonical(contentOf(other));
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    each !== null && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
}
