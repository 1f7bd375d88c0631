import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import { type Namespace, type NamespaceCondition, KUBERNETES_FINALIZER } from '../../apis/core/namespace/namespace.schema.js';
import { NAMESPACE_RESOURCE, namespaceKey, timestamp } from '../../registry/objects/object-values.js';
import { type RequestContext, systemContext } from '../../registry/resource/request-context.js';
import { storageResource } from '../../registry/resource/resource-definition.js';
import type { RequestTarget, ResourceStore } from '../../registry/resource/resource-store.js';
import type { ObjectStore, StoredObject } from '../../storage/object-store.js';
import type { Storage } from '../../storage/storage.js';
import { NAMESPACE_DELETION } from '../machinery/declared-controller.js';
import { type QueueServices, type RetryQueue, queueOf, tookEffect } from '../machinery/retry-queue.js';
import { TerminatingWatch } from './terminating-watch.js';

export interface NamespaceDeletionOptions extends QueueServices {
  readonly objects: ObjectStore;
  /** Every namespaced resource. */
  readonly content: readonly ResourceStore[];
  /** Stores of namespaces/finalize and namespaces/status. */
  readonly finalize: ResourceStore<Namespace>;
  readonly status: ResourceStore<Namespace>;
  /** Terraform's states, which are no objects. Absent: there are none. */
  readonly states?: Pick<NonNullable<Storage['states']>, 'removeNamespace'>;
  readonly now: () => number;
}

const WRITE = { dryRun: false, fieldManager: NAMESPACE_DELETION, fieldValidation: 'Ignore' } as const;
/** How often content that finalizers hold is checked again. */
const POLL_MS = 1000;
/** Objects that are deleted at a time. */
const CONCURRENCY = 64;

/**
 * Empties terminating namespaces and then removes their finalizer (kubernetes pkg/controller/namespace/deletion). Nothing can be created in
 * a terminating namespace, so a consistent list shows everything there is to delete. Any number of replicas may run it: work done twice has
 * no effect, and every write names the uid of its object.
 */
export class NamespaceDeletionReconciler {
  readonly #options: NamespaceDeletionOptions;
  readonly #abort = new AbortController();
  readonly #queue: RetryQueue<string>;
  readonly #watch: TerminatingWatch;

  constructor(options: NamespaceDeletionOptions) {
    this.#options = options;
    const { objects, scheduler, logger } = options;
    this.#queue = queueOf(NAMESPACE_DELETION, options, (name) => this.#empty(name));
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
    const { object, revision } = await this.#options.objects.get(namespaceKey(name), { kind: 'latest' });
    if (!object?.terminating) return undefined;
    const context = this.#context(revision);
    const { spec } = JSON.parse(object.data) as Namespace;
    if (!spec?.finalizers?.includes(KUBERNETES_FINALIZER)) return undefined;
    for (const store of this.#options.content) {
      if (!(await this.#deleteAll(context, store, object))) return undefined;
    }
    const remaining = await remainingContent(this.#options.objects, this.#options.content, name);
    await tookEffect(remaining.objects === 0 ? this.#release(context, object) : this.#report(context, object, remaining));
    return remaining.objects === 0 ? undefined : POLL_MS;
  }

  /**
   * Deletes everything that a list shows. False if the namespace is gone or was created again, in which case the listed objects may belong
   * to the new one. As long as it is terminating nothing is created in it, so the listed objects are its own; each is deleted by uid.
   */
  async #deleteAll(context: RequestContext, store: ResourceStore, namespace: StoredObject): Promise<boolean> {
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
      await Promise.all(listed.objects.slice(at, at + CONCURRENCY).map((object) => tookEffect(deleteOne(context, store, object))));
    }
    return true;
  }

  async #release(context: RequestContext, { key: { name }, uid }: StoredObject): Promise<void> {
    const { finalize, states } = this.#options;
    await states?.removeNamespace(name, uid);
    const next = (live: Namespace) => ({
      ...live,
      spec: { ...live.spec, finalizers: live.spec?.finalizers?.filter((finalizer) => finalizer !== KUBERNETES_FINALIZER) },
    });
    await finalize.update(context, targetOf(finalize, name), source(uid, next), WRITE);
  }

  async #report(context: RequestContext, { key: { name }, uid }: StoredObject, remaining: RemainingContent): Promise<void> {
    const { status, now } = this.#options;
    const next = (live: Namespace) => withConditions(live, remaining, now());
    await status.update(context, targetOf(status, name), source(uid, next), WRITE);
  }

  /**
   * `premise`: the revision of the first read that leads to the writes. A failover may revert the deletion of a namespace or of its
   * content.
   */
  #context(premise: number): RequestContext {
    return systemContext(NAMESPACE_DELETION, this.#abort.signal, Infinity, premise);
  }
}

async function deleteOne(context: RequestContext, store: ResourceStore, { key, uid }: StoredObject): Promise<void> {
  const version = store.definition.versions[0] ?? store.definition.storageVersion;
  const target = { version, namespace: key.namespace, name: key.name };
  await store.delete(context, target, { dryRun: false, propagationPolicy: 'Background', uid });
}

function targetOf({ definition }: ResourceStore<Namespace>, name: string): RequestTarget {
  return { version: definition.versions[0] ?? definition.storageVersion, namespace: '', name };
}

/**
 * Within one lineage, a namespace that is being deleted stays so, and an empty one stays empty; one that was created again is recognized by
 * its uid.
 */
function source(uid: string, change: (live: Namespace) => Namespace) {
  return {
    uid,
    next: (live: Namespace | undefined) => change(live ?? { metadata: {}, spec: {}, status: {} }),
    mayCreate: false,
    tracksFields: 'update',
    retries: true,
  } as const;
}

/** What is left in a namespace: number of objects, by resource and by finalizer. */
interface RemainingContent {
  readonly objects: number;
  readonly byResource: ReadonlyMap<string, number>;
  readonly byFinalizer: ReadonlyMap<string, number>;
}

/** Counts the content of a namespace with consistent lists. */
async function remainingContent(objects: ObjectStore, content: readonly ResourceStore[], namespace: string): Promise<RemainingContent> {
  const byResource = new Map<string, number>();
  const byFinalizer = new Map<string, number>();
  let total = 0;
  for (const { definition } of content) {
    const resource = storageResource(definition);
    const list = await objects.list({ resource, namespace }, { consistency: { kind: 'latest' } });
    if (list.objects.length === 0) continue;
    total += list.objects.length;
    byResource.set(resource, list.objects.length);
    for (const object of list.objects) {
      const { metadata } = JSON.parse(object.data) as KubeObject;
      for (const finalizer of metadata.finalizers ?? []) byFinalizer.set(finalizer, (byFinalizer.get(finalizer) ?? 0) + 1);
    }
  }
  return { objects: total, byResource, byFinalizer };
}

/**
 * Returns the namespace with conditions that say what delays its deletion, in upstream's words (kubernetes
 * pkg/controller/namespace/deletion/status_condition_utils.go). Unchanged conditions keep their times, so reporting them again changes
 * nothing.
 */
function withConditions(namespace: Namespace, remaining: RemainingContent, now: number): Namespace {
  const known = namespace.status?.conditions ?? [];
  const told = conditions(remaining).map((condition) => {
    const before = known.find(({ type }) => type === condition.type);
    const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : timestamp(now);
    return { ...condition, lastTransitionTime };
  });
  const others = known.filter(({ type }) => told.every((condition) => condition.type !== type));
  return { ...namespace, status: { ...namespace.status, conditions: [...others, ...told] } };
}

function conditions({ byResource, byFinalizer }: RemainingContent): NamespaceCondition[] {
  return [
    {
      type: 'NamespaceContentRemaining',
      status: 'True',
      reason: 'SomeResourcesRemain',
      message: `Some resources are remaining: ${counted(byResource, (name, n) => `${name} has ${n} resource instances`)}`,
    },
    {
      type: 'NamespaceFinalizersRemaining',
      status: byFinalizer.size > 0 ? 'True' : 'False',
      reason: byFinalizer.size > 0 ? 'SomeFinalizersRemain' : 'ContentHasNoFinalizers',
      message:
        byFinalizer.size > 0
          ? `Some content in the namespace has finalizers remaining: ${counted(byFinalizer, (name, n) => `${name} in ${n} resource instances`)}`
          : 'All content-preserving finalizers finished',
    },
  ];
}

function counted(counts: ReadonlyMap<string, number>, text: (name: string, count: number) => string): string {
  const names = [...counts.keys()].sort();
  return names.map((name) => text(name, counts.get(name) ?? 0)).join(', ');
}
