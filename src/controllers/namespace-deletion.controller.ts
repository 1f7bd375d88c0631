import type { Logger } from 'pino';
import { KUBERNETES_FINALIZER } from '../apis/core/namespace/namespace.js';
import type { Namespace } from '../apis/core/namespace/namespace.js';
import { ApiError } from '../apimachinery/errors/api-error.js';
import { namespaceKey, NAMESPACE_RESOURCE } from '../registry/namespace-key.js';
import type { RequestTarget, ResourceStore } from '../registry/resource-store.js';
import { systemContext } from '../registry/system-context.js';
import type { ObjectStore } from '../storage/object-store.js';
import type { Scheduler } from '../storage/scheduler.js';
import { NAMESPACE_DELETION } from './controller-names.js';
import { remainingContent } from './remaining-content.js';
import type { RemainingContent } from './remaining-content.js';
import type { ObserveQueue } from './queue-metrics.js';
import { RetryQueue } from './retry-queue.js';
import { TerminatingWatch } from './terminating-watch.js';
import { withConditions } from './namespace-conditions.js';

export interface NamespaceDeletionOptions {
  readonly objects: ObjectStore;
  /** Every resource with objects in namespaces. */
  readonly content: readonly ResourceStore[];
  /** Stores of namespaces/finalize and namespaces/status. */
  readonly finalize: ResourceStore<Namespace>;
  readonly status: ResourceStore<Namespace>;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly observeQueue?: ObserveQueue;
  readonly now: () => number;
}

const WRITE = { dryRun: false, fieldManager: NAMESPACE_DELETION, fieldValidation: 'Ignore' } as const;
/** How often content that finalizers hold is looked at again. */
const POLL_MS = 1000;

/**
 * Empties namespaces that are being deleted and then takes away the finalizer that kept them (kubernetes
 * pkg/controller/namespace/deletion). Nothing can be created in such a namespace any more, so what a consistent list shows after
 * the mark is all there is. Every replica may run one: whatever another one has done already is done.
 */
export class NamespaceDeletionController {
  readonly #options: NamespaceDeletionOptions;
  readonly #abort = new AbortController();
  readonly #queue: RetryQueue<string>;
  readonly #watch: TerminatingWatch;

  constructor(options: NamespaceDeletionOptions) {
    this.#options = options;
    const { objects, scheduler, logger } = options;
    this.#queue = new RetryQueue({
      handle: (name) => this.#empty(name),
      scheduler,
      logger,
      observer: options.observeQueue?.(NAMESPACE_DELETION),
    });
    const onObject = ({ key }: { key: { name: string } }) => this.#queue.add(key.name, key.name);
    this.#watch = new TerminatingWatch({ objects, resource: NAMESPACE_RESOURCE, scheduler, logger, onObject });
  }

  async start(): Promise<void> {
    await this.#watch.start();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    this.#watch.stop();
    await this.#queue.stop();
  }

  async #empty(name: string): Promise<number | undefined> {
    const { object } = await this.#options.objects.get(namespaceKey(name), { kind: 'latest' });
    if (!object?.terminating) return undefined;
    const { spec } = JSON.parse(object.data) as Namespace;
    if (!spec?.finalizers?.includes(KUBERNETES_FINALIZER)) return undefined;
    for (const store of this.#options.content) await this.#deleteAll(store, name);
    const remaining = await remainingContent(this.#options.objects, this.#options.content, name);
    await ignoringGone(remaining.objects === 0 ? this.#release(name) : this.#report(name, remaining));
    return remaining.objects === 0 ? undefined : POLL_MS;
  }

  async #deleteAll(store: ResourceStore, namespace: string): Promise<void> {
    const version = store.definition.versions[0] ?? store.definition.storageVersion;
    await store.deleteCollection(this.#context(), { version, namespace, name: '' }, EVERYTHING, {
      dryRun: false,
      propagationPolicy: 'Background',
    });
  }

  async #release(name: string): Promise<void> {
    const { finalize } = this.#options;
    const next = (live: Namespace) => ({
      ...live,
      spec: { ...live.spec, finalizers: live.spec?.finalizers?.filter((finalizer) => finalizer !== KUBERNETES_FINALIZER) },
    });
    await finalize.update(this.#context(), targetOf(finalize, name), source(next), WRITE);
  }

  async #report(name: string, remaining: RemainingContent): Promise<void> {
    const { status, now } = this.#options;
    const next = (live: Namespace) => withConditions(live, remaining, now());
    await status.update(this.#context(), targetOf(status, name), source(next), WRITE);
  }

  #context() {
    return systemContext(NAMESPACE_DELETION, this.#abort.signal);
  }
}

const EVERYTHING = {
  labelSelector: '',
  fieldSelector: '',
  shardSelector: '',
  watch: false,
  allowWatchBookmarks: false,
  resourceVersion: '',
  resourceVersionMatch: '',
  limit: 0,
  continue: '',
} as const;

function targetOf({ definition }: ResourceStore<Namespace>, name: string): RequestTarget {
  return { version: definition.versions[0] ?? definition.storageVersion, namespace: '', name };
}

function source(change: (live: Namespace) => Namespace) {
  return {
    next: (live: Namespace | undefined) => change(live ?? { metadata: {} }),
    mayCreate: false,
    tracksFields: 'update',
    retries: true,
  } as const;
}

/** Another replica may have been faster. */
async function ignoringGone(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 404)) throw error;
  }
}
