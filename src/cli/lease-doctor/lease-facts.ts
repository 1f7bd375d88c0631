import type { Lease } from '../../apis/coordination/lease/lease.schema.js';
import type { LeaseTerm } from '../../apis/history/lease-term/lease-term.schema.js';
import type { RefusedRequest } from '../../apis/history/refused-request/refused-request.schema.js';
import { type KubeClient, refusal } from '../../kube/kube-client.js';
import type { KubeObject } from '../../kube/kube-object.js';
import { type LeaseName, termsOf } from '../kube/lease-terms.js';
import { CommandError } from '../output/command-error.js';
import { StartError } from '../../settings/start-error.js';

/** What a server tells about a lease; a text instead says why it does not. */
export interface LeaseFacts extends LeaseName {
  /** Undefined: it does not exist. */
  readonly lease: Lease | undefined;
  readonly terms: readonly LeaseTerm[] | string;
  /** Refused requests for the lease, and in its namespace creates that were refused unread, for whichever lease, and what failed for everybody. */
  readonly refused: readonly RefusedRequest[] | string;
  /** How many wait in the lock's queue, or as candidates of a coordinated election. */
  readonly waiting: number;
}

const REFUSED = '/apis/history.coordination-apiserver.dev/v1';
const QUEUE_LABEL = 'coordination-apiserver/queue-of';

/** Asks for all of it. Throws a CommandError if the lease may not be read. */
export async function leaseFacts(client: KubeClient, { namespace, name }: LeaseName): Promise<LeaseFacts> {
  const inNamespace = `namespaces/${encodeURIComponent(namespace)}`;
  const leases = `/apis/coordination.k8s.io/v1/${inNamespace}/leases`;
  const answer = await client.ask('GET', `${leases}/${encodeURIComponent(name)}`);
  if (answer.status !== 200 && answer.status !== 404) throw refusal('cannot read the lease', answer);
  const lease = answer.status === 200 ? (answer.body as Lease) : undefined;
  const tickets = await itemsAt(client, `${leases}?labelSelector=${encodeURIComponent(QUEUE_LABEL)}`);
  const candidates = await itemsAt(client, `/apis/coordination.k8s.io/v1beta1/${inNamespace}/leasecandidates`);
  return {
    namespace,
    name,
    lease,
    terms: await termsOf(client, { namespace, name }).catch(textOf),
    refused: await refusedFor(client, `${REFUSED}/${inNamespace}/refusedrequests`, name).catch(textOf),
    waiting:
      tickets.filter(({ metadata }) => metadata?.name?.startsWith(`${name}.ticket-`)).length +
      candidates.filter((each) => isCandidate(each, name, lease?.spec?.holderIdentity ?? '')).length,
  };
}

/** Nothing where the server does not serve them, or not to this user. */
async function itemsAt(client: KubeClient, path: string): Promise<readonly KubeObject[]> {
  const { status, body } = await client.ask('GET', path);
  return status === 200 ? (body.items ?? []) : [];
}

function isCandidate({ metadata, spec }: KubeObject, lease: string, holder: string): boolean {
  return (spec as { leaseName?: string } | undefined)?.leaseName === lease && metadata?.name !== holder;
}

async function refusedFor(client: KubeClient, path: string, name: string): Promise<RefusedRequest[]> {
  const answer = await client.ask('GET', path);
  if (answer.status === 404) throw new CommandError('the server does not serve them: see --runtime-config');
  if (answer.status !== 200) throw refusal('cannot list them', answer);
  const all = (answer.body.items ?? []) as unknown as RefusedRequest[];
  return all.filter(
    ({ spec, status }) => spec.objectName === name || (!spec.objectName && (spec.verb === 'create' || isOfEverybody(status))),
  );
}

/** Whether the server itself failed. */
export function isOfEverybody({ code = 0 }: RefusedRequest['status']): boolean {
  return code >= 500;
}

function textOf(error: unknown): string {
  if (error instanceof StartError) return error.message;
  throw error;
}
