import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from '../../registry/rules/before-delete.js';
import { storageResource } from '../../registry/resource/resource-definition.js';
import type { RequestTarget, ResourceStore } from '../../registry/resource/resource-store.js';
import { systemContext } from '../../registry/resource/request-context.js';
import type { ObjectStore, StoredObject } from '../../storage/object-store.js';
import { objectPath } from '../../storage/object-path.js';
import { FINALIZER_CLEARING } from '../machinery/declared-controller.js';
import { type QueueServices, type RetryQueue, queueOf, tookEffect } from '../machinery/retry-queue.js';
import { TerminatingWatch } from './terminating-watch.js';

export interface FinalizerClearingOptions extends QueueServices {
  readonly objects: ObjectStore;
  /** The resources to handle. */
  readonly resources: readonly ResourceStore[];
  /** Milliseconds of the wall clock. */
  readonly now: () => number;
}

/** How long the garbage collector's finalizers stay, so that clients can observe the deletion. */
const HOLD_MS = 10_000;

interface Item {
  readonly store: ResourceStore;
  readonly object: StoredObject;
}

/**
 * Removes the garbage collector's finalizers (`orphan`, `foregroundDeletion`) ten seconds after a deletion, because this server has no
 * dependents to collect. Any number of replicas may run it: each removal names the uid of the object that was judged.
 */
export class FinalizerClearingReconciler {
  readonly #options: FinalizerClearingOptions;
  readonly #abort = new AbortController();
  readonly #queue: RetryQueue<Item>;
  readonly #watches: readonly TerminatingWatch[];

  constructor(options: FinalizerClearingOptions) {
    this.#options = options;
    const { scheduler, logger, objects } = options;
    this.#queue = queueOf(FINALIZER_CLEARING, options, (item) => this.#clear(item));
    this.#watches = options.resources.map((store) => {
      const resource = storageResource(store.definition);
      const onObject = (object: StoredObject) => {
        if (mentionsFinalizer(object)) this.#queue.add(`${resource} ${objectPath(object.key)}`, { store, object });
      };
      return new TerminatingWatch({ objects, resource, scheduler, logger, onObject });
    });
  }

  async start(): Promise<void> {
    await Promise.all(this.#watches.map((watch) => watch.start()));
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    for (const watch of this.#watches) watch.stop();
    await this.#queue.stop();
  }

  async #clear({ store, object }: Item): Promise<number | undefined> {
    const { object: current, revision } = await this.#options.objects.get(object.key, { kind: 'latest' });
    if (!current?.terminating) return undefined;
    const { metadata } = JSON.parse(current.data) as KubeObject;
    if (!metadata.finalizers?.some(isCollectorFinalizer)) return undefined;
    const left = Date.parse(metadata.deletionTimestamp ?? '') + HOLD_MS - this.#options.now();
    if (left > 0) return left;
    const version = store.definition.versions[0] ?? store.definition.storageVersion;
    const target: RequestTarget = { version, namespace: current.key.namespace, name: current.key.name };
    const next = (live: KubeObject = { metadata }) => withoutCollectorFinalizers(live);
    const context = systemContext(FINALIZER_CLEARING, this.#abort.signal, Infinity, revision);
    const source = { next, uid: current.uid, mayCreate: false, tracksFields: 'update', retries: true } as const;
    const options = { dryRun: false, fieldManager: FINALIZER_CLEARING, fieldValidation: 'Ignore' } as const;
    // otherwise it is gone, or a new object of the same name, which is not due yet
    await tookEffect(store.update(context, target, source, options));
    return undefined;
  }
}

/** May be true for an object without such finalizers, never false for one with them. */
function mentionsFinalizer(object: StoredObject): boolean {
  return object.data.includes(`"${ORPHAN_FINALIZER}"`) || object.data.includes(`"${FOREGROUND_FINALIZER}"`);
}

function isCollectorFinalizer(name: string): boolean {
  return name === ORPHAN_FINALIZER || name === FOREGROUND_FINALIZER;
}

function withoutCollectorFinalizers(live: KubeObject): KubeObject {
  const finalizers = live.metadata.finalizers?.filter((name) => !isCollectorFinalizer(name));
  return { ...live, metadata: { ...live.metadata, finalizers } };
}
