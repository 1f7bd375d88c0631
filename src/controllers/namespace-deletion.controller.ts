import type { Logger } from 'pino';
import { KUBERNETES_FINALIZER } from '../apis/core/namespace/namespace.js';
import type { Namespace } from '../apis/core/namespace/namespace.js';
import { ApiError } from '../apimachinery/errors/api-error.js';
import { namespaceKey, NAMESPACE_RESOURCE } from '../registry/namespace-key.js';
import { storageResource } from '../registry/resource-definition.js';
import type { RequestTarget, ResourceStore } from '../registry/resource-store.js';
import { systemContext } from '../registry/system-context.js';
import type { ObjectStore, StoredObject } from '../storage/object-store.js';
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
/** Deletions under way at a time. */
const CONCURRENCY = 64;

/**
 * Empties namespaces that are being deleted and then takes away the finalizer that kept them (kubernetes
 * pkg/controller/namespace/deletion). Nothing can be created in such a namespace any more, so what a consistent list shows after
 * the mark is all there is. Every replica may run one: whatever another one has done already is done, and every write names the uid of what
 * it is meant for.
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
    for (const store of this.#options.content) {
      if (!(await this.#deleteAll(store, object))) return undefined;
    }
    const remaining = await remainingContent(this.#options.objects, this.#options.content, name);
    await ignoringOthers(remaining.objects === 0 ? this.#release(object) : this.#report(object, remaining));
    return remaining.objects === 0 ? undefined : POLL_MS;
  }

  /**
   * Deletes what a list shows. False: the namespace is gone, or made again; then what was listed may belong to the new one. While it is
   * there, nothing is created in it, so each object that was listed before is its own, and is told by its uid.
   */
  async #deleteAll(store: ResourceStore, namespace: StoredObject): Promise<boolean> {
    const { objects } = this.#options;
    const { name } = namespace.key;
    const listed = await objects.list(
      { resource: storageResource(store.definition), namespace: name },
      { consistency: { kind: 'latest' } },
    );
    if (listed.objects.length === 0) return true;
    const { object: now } = await objects.get(namespace.key, { kind: 'latest' });
    if (now?.uid !== namespace.uid) return false;
    for (let at = 0; at < listed.objects.length; at += CONCURRENCY) {
      await Promise.all(listed.objects.slice(at, at + CONCURRENCY).map((object) => ignoringOthers(this.#delete(store, object))));
    }
    return true;
  }

  async #delete(store: ResourceStore, { key, uid }: StoredObject): Promise<void> {
    const version = store.definition.versions[0] ?? store.definition.storageVersion;
    const target = { version, namespace: key.namespace, name: key.name };
    await store.delete(this.#context(), target, { dryRun: false, propagationPolicy: 'Background', uid });
  }

  async #release({ key: { name }, uid }: StoredObject): Promise<void> {
    const { finalize } = this.#options;
    const next = (live: Namespace) => ({
      ...live,
      spec: { ...live.spec, finalizers: live.spec?.finalizers?.filter((finalizer) => finalizer !== KUBERNETES_FINALIZER) },
    });
    await finalize.update(this.#context(), targetOf(finalize, name), source(uid, next), WRITE);
  }

  async #report({ key: { name }, uid }: StoredObject, remaining: RemainingContent): Promise<void> {
    const { status, now } = this.#options;
    const next = (live: Namespace) => withConditions(live, remaining, now());
    await status.update(this.#context(), targetOf(status, name), source(uid, next), WRITE);
  }

  #context() {
    return systemContext(NAMESPACE_DELETION, this.#abort.signal);
  }
}

function targetOf({ definition }: ResourceStore<Namespace>, name: string): RequestTarget {
  return { version: definition.versions[0] ?? definition.storageVersion, namespace: '', name };
}

/** A namespace that is being deleted stays so, and empty stays empty, but one that was made again is another: the uid tells. */
function source(uid: string, change: (live: Namespace) => Namespace) {
  return {
    uid,
    next: (live: Namespace | undefined) => change(live ?? { metadata: {} }),
    mayCreate: false,
    tracksFields: 'update',
    retries: true,
  } as const;
}

/** Another replica may have been faster: the object is gone, or another one of its name is there. */
async function ignoringOthers(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ApiError && (error.code === 404 || error.code === 409))) throw error;
  }
}
