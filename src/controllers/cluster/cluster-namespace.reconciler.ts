import type { Logger } from 'pino';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import { type ClusterNamespace, CLUSTER_UID, ensureMirror } from '../../apis/core/namespace/cluster-namespaces.js';
import type { Namespace } from '../../apis/core/namespace/namespace.schema.js';
import { clusterClient } from '../../kube/cluster-target.js';
import { type KubeClient, refusal } from '../../kube/kube-client.js';
import { NAMESPACE_RESOURCE } from '../../registry/objects/object-values.js';
import type { ResourceStore } from '../../registry/resource/resource-store.js';
import { systemContext } from '../../registry/resource/request-context.js';
import type { ObjectStore } from '../../storage/object-store.js';
import type { Scheduler } from '../../time/scheduler.js';
import { CLUSTER_NAMESPACES } from '../machinery/declared-controller.js';
import { retryDelay } from '../machinery/retry-queue.js';

export interface ClusterNamespaceOptions {
  readonly objects: ObjectStore;
  readonly namespaces: ResourceStore<Namespace>;
  /** `--cluster-kubeconfig`; '': there is no cluster, and nothing to do. */
  readonly kubeconfig: string;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

const PATH = '/api/v1/namespaces';
const PAGE = 500;

interface NamespaceList {
  readonly items?: readonly ClusterNamespace[];
  readonly metadata?: { readonly continue?: string; readonly resourceVersion?: string };
}

/**
 * Follows the namespaces of the cluster in front of this server. Each gets a namespace here; when the cluster deletes it, so does this
 * server, with the leases in it. Only namespaces that were created for one of the cluster, known by its uid, are deleted.
 */
export class ClusterNamespaceReconciler {
  readonly #options: ClusterNamespaceOptions;
  readonly #abort = new AbortController();
  readonly #cluster: KubeClient | undefined;
  #running: Promise<void> | undefined;

  constructor(options: ClusterNamespaceOptions) {
    this.#options = options;
    if (options.kubeconfig !== '') this.#cluster = clusterClient(options.kubeconfig);
  }

  start(): Promise<void> {
    if (this.#cluster) this.#running = this.#follow(this.#cluster);
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
    this.#cluster?.close();
  }

  async #follow(cluster: KubeClient): Promise<void> {
    for (let failures = 0; !this.#abort.signal.aborted; failures++) {
      try {
        let version: string | undefined = await this.#list(cluster);
        failures = 0;
        while (version !== undefined && !this.#abort.signal.aborted) version = await this.#watch(cluster, version);
        continue;
      } catch (error) {
        this.#options.logger.warn({ err: error }, 'cannot follow the namespaces of the cluster');
      }
      await this.#wait(retryDelay(failures));
    }
  }

  /** Resolves with the version to watch from. */
  async #list(cluster: KubeClient): Promise<string> {
    const present = new Map<string, ClusterNamespace>();
    let token = '';
    for (;;) {
      const answer = await cluster.ask('GET', `${PATH}?limit=${PAGE}${token === '' ? '' : `&continue=${encodeURIComponent(token)}`}`);
      if (answer.status !== 200) throw refusal('cannot list its namespaces', answer);
      const { items = [], metadata = {} } = answer.body as NamespaceList;
      for (const each of items) present.set(each.metadata?.name ?? '', each);
      token = metadata.continue ?? '';
      if (token !== '') continue;
      for (const each of present.values()) await this.#apply(each, false);
      await this.#deleteMissing(present);
      return metadata.resourceVersion ?? '';
    }
  }

  /** Resolves with the version to continue from; undefined if the namespaces must be listed again. */
  async #watch(cluster: KubeClient, from: string): Promise<string | undefined> {
    let version = from;
    const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=300&resourceVersion=${from}`;
    for await (const event of cluster.watch(`${PATH}?${query}`, { signal: this.#abort.signal })) {
      const { type, object } = event as { type?: string; object?: ClusterNamespace & { metadata?: { resourceVersion?: string } } };
      if (type === 'ERROR' || !object) return undefined;
      if (type !== 'BOOKMARK') await this.#apply(object, type === 'DELETED');
      version = object.metadata?.resourceVersion ?? version;
    }
    return version;
  }

  async #apply(namespace: ClusterNamespace, gone: boolean): Promise<void> {
    const { name = '', uid = '', deletionTimestamp } = namespace.metadata ?? {};
    if (gone || deletionTimestamp !== undefined) await this.#delete(name, uid);
    else await ensureMirror(this.#options.namespaces, namespace);
  }

  /**
   * A namespace may have been deleted, and another one created under its name, while nobody watched. Where no namespace is still the one that
   * it was, this is more likely to be another cluster.
   */
  async #deleteMissing(present: ReadonlyMap<string, ClusterNamespace>): Promise<void> {
    const mirrors = await this.#mirrors();
    const missing = mirrors.filter(([name, uid]) => present.get(name)?.metadata?.uid !== uid);
    if (missing.length === 0) return;
    if (missing.length === mirrors.length) {
      const namespaces = missing.slice(0, 5).map(([name]) => name);
      this.#options.logger.error({ namespaces }, 'the cluster has none of its former namespaces; keeping them. Check --cluster-kubeconfig');
      return;
    }
    for (const [name, uid] of missing) await this.#delete(name, uid);
  }

  async #mirrors(): Promise<[name: string, uid: string][]> {
    const { objects } = await this.#options.objects.list({ resource: NAMESPACE_RESOURCE }, { consistency: { kind: 'latest' } });
    return objects.flatMap(({ key, data }) => {
      const uid = (JSON.parse(data) as Namespace).metadata.annotations?.[CLUSTER_UID];
      return uid === undefined ? [] : [[key.name, uid]];
    });
  }

  /** Deletes the namespace that was created for the one with this uid; its content goes with it. */
  async #delete(name: string, clusterUid: string): Promise<void> {
    const { namespaces, logger } = this.#options;
    const target = { version: namespaces.definition.storageVersion, namespace: '', name };
    try {
      const { data, uid, terminating } = await namespaces.get(target, { resourceVersion: '' });
      if (terminating || (JSON.parse(data) as Namespace).metadata.annotations?.[CLUSTER_UID] !== clusterUid) return;
      await namespaces.delete(systemContext(CLUSTER_NAMESPACES), target, { dryRun: false, uid });
      logger.info({ namespace: name }, 'the cluster deleted a namespace; its leases are deleted');
    } catch (error) {
      if (!(error instanceof ApiError && (error.code === 404 || error.code === 409))) throw error;
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.scheduler.after(ms, resolve);
      this.#abort.signal.addEventListener('abort', () => (cancel(), resolve()), { once: true });
    });
  }
}
