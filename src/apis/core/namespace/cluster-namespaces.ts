import { ApiError } from '../../../apimachinery/errors/api-error.js';
import { ExpiringCache } from '../../../auth/expiring-cache.js';
import type { KubeClient } from '../../../kube/kube-client.js';
import { API_SERVER, systemContext } from '../../../registry/resource/request-context.js';
import type { ResourceStore } from '../../../registry/resource/resource-store.js';
import { namespaceV1 } from './namespace.resource.js';
import type { Namespace } from './namespace.schema.js';

/** Says that a namespace was created because the cluster has it; the value is the uid of its namespace there. */
export const CLUSTER_UID = 'coordination-apiserver/cluster-uid';

const MAX_REFUSED = 1000;
const REFUSED_MS = 1000;

/** A namespace as the cluster sends it. */
export interface ClusterNamespace {
  readonly metadata?: { readonly name?: string; readonly uid?: string; readonly deletionTimestamp?: string };
}

/**
 * Creates a namespace of the cluster that this server has not heard of yet, when its first lease is created. Concurrent requests share the
 * question, and an answer that there is none applies for a second.
 */
export class ClusterNamespaces {
  readonly #cluster: Pick<KubeClient, 'ask'>;
  readonly #namespaces: ResourceStore<Namespace>;
  readonly #absent: ExpiringCache<true>;
  readonly #inFlight = new Map<string, Promise<void>>();

  constructor(cluster: Pick<KubeClient, 'ask'>, namespaces: ResourceStore<Namespace>, now: () => number) {
    this.#cluster = cluster;
    this.#namespaces = namespaces;
    this.#absent = new ExpiringCache(MAX_REFUSED, now);
  }

  readonly ensure = async (name: string): Promise<void> => {
    if (this.#absent.get(name) === true) return;
    const asked = this.#inFlight.get(name) ?? this.#ask(name).finally(() => this.#inFlight.delete(name));
    this.#inFlight.set(name, asked);
    return asked;
  };

  async #ask(name: string): Promise<void> {
    const { status, body } = await this.#cluster.ask('GET', `/api/v1/namespaces/${encodeURIComponent(name)}`);
    const { metadata = {} } = body as ClusterNamespace;
    if (status === 200 && metadata.deletionTimestamp === undefined) await ensureMirror(this.#namespaces, { metadata });
    else this.#absent.set(name, true, REFUSED_MS);
  }
}

/** Creates the namespace here that the cluster has. */
export function ensureMirror(namespaces: ResourceStore<Namespace>, { metadata = {} }: ClusterNamespace): Promise<void> {
  return ensureNamespace(namespaces, metadata.name ?? '', { [CLUSTER_UID]: metadata.uid ?? '' });
}

/** The namespaces that every cluster has. */
export const SYSTEM_NAMESPACES: readonly string[] = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** Creates a namespace unless it exists. */
export async function ensureNamespace(
  namespaces: ResourceStore<Namespace>,
  name: string,
  annotations?: Readonly<Record<string, string>>,
): Promise<void> {
  try {
    await namespaces.create(
      systemContext(API_SERVER),
      { version: namespaceV1, namespace: '', name: '' },
      { metadata: { name, ...(annotations === undefined ? {} : { annotations }) } },
      { dryRun: false, fieldManager: '', fieldValidation: 'Ignore' },
    );
  } catch (error) {
    if (!(error instanceof ApiError && error.status.reason === 'AlreadyExists')) throw error;
  }
}

/** Creates the missing system namespaces; every server process does so at start. */
export async function ensureNamespaces(namespaces: ResourceStore<Namespace>): Promise<void> {
  await Promise.all(
    SYSTEM_NAMESPACES.map(async (name) => {
      if (!(await isKnown(namespaces, name))) await ensureNamespace(namespaces, name);
    }),
  );
}

/** Asks nobody but the cache, so that a start does not wait for a write that is refused. */
async function isKnown(namespaces: ResourceStore<Namespace>, name: string): Promise<boolean> {
  try {
    await namespaces.get({ version: namespaceV1, namespace: '', name }, { resourceVersion: '0' });
    return true;
  } catch (error) {
    if (!(error instanceof ApiError && error.status.reason === 'NotFound')) throw error;
    return false;
  }
}
