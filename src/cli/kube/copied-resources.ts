import { omitEmpty } from '../../apimachinery/go/omit-empty.js';
import { type KubeClient, refusal } from '../../kube/kube-client.js';
import type { KubeObject } from '../../kube/kube-object.js';

const GROUP = 'coordination.k8s.io';
const PAGE = 500;
/** Label of servers' identity leases, which are not copied. */
const IDENTITY_LABEL = 'apiserver.kubernetes.io/identity';

/** The resources to copy, in order. */
export const COPIED = [
  { resource: 'leases', kind: 'Lease', versions: ['v1'] },
  { resource: 'leasecandidates', kind: 'LeaseCandidate', versions: ['v1beta1', 'v1alpha2'] },
] as const;

export type CopiedResource = (typeof COPIED)[number];

export interface CopiedPage {
  readonly objects: readonly KubeObject[];
  /** '' after the last one. */
  readonly continue: string;
  readonly remaining: number;
}

/** Resolves with the newest version of a resource that a server has; undefined if it has none. */
export async function servedVersion(client: KubeClient, { resource, versions }: CopiedResource): Promise<string | undefined> {
  for (const version of versions) {
    const answer = await client.ask('GET', `/apis/${GROUP}/${version}/${resource}?limit=1`);
    if (answer.status === 200) return version;
    if (answer.status !== 404) throw refusal(`cannot list the ${resource} of ${client.target.server}`, answer);
  }
  return undefined;
}

/** Reads a page of objects and removes what belongs to their server. 'expired': the continue token is too old, start again. */
export async function readPage(
  client: KubeClient,
  { resource, kind }: CopiedResource,
  version: string,
  options: { readonly namespace?: string; readonly continue: string },
): Promise<CopiedPage | 'expired'> {
  const token = options.continue === '' ? '' : `&continue=${encodeURIComponent(options.continue)}`;
  const answer = await client.ask('GET', `${collectionPath(version, resource, options.namespace)}?limit=${PAGE}${token}`);
  if (answer.status === 410) return 'expired';
  if (answer.status !== 200) throw refusal(`cannot list the ${resource} of ${client.target.server}`, answer);
  const { items = [], metadata = {} } = answer.body;
  return {
    objects: items.filter(({ metadata: of }) => of?.labels?.[IDENTITY_LABEL] === undefined).map((item) => portable(item, kind, version)),
    continue: metadata.continue ?? '',
    remaining: metadata.remainingItemCount ?? 0,
  };
}

export function collectionPath(version: string, resource: string, namespace?: string): string {
  return `/apis/${GROUP}/${version}${namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`}/${resource}`;
}

/** Drops the fields that belong to the source server. */
function portable({ metadata = {}, spec }: KubeObject, kind: string, version: string): KubeObject {
  const { name, namespace, labels, annotations } = metadata;
  return {
    apiVersion: `${GROUP}/${version}`,
    kind,
    metadata: omitEmpty({ namespace, name, labels, annotations }),
    ...(spec === undefined ? {} : { spec }),
  };
}
