import type { Logger } from 'pino';
import type { LeaseCandidate } from '../../apis/coordination/lease-candidate/lease-candidate.schema.js';
import type { ResourceStore } from '../../registry/resource/resource-store.js';
import { comparePaths, objectPath } from '../../storage/object-path.js';
import type { StoredObject } from '../../storage/object-store.js';
import type { Scheduler } from '../../time/scheduler.js';
import { Informer } from '../machinery/informer.js';
import { type Candidate, candidateOf } from './election.js';

/** A candidate and the stored state it was read from. */
export interface KnownCandidate {
  readonly stored: StoredObject;
  readonly object: LeaseCandidate;
  readonly candidate: Candidate;
  /** `namespace/name` of the lease that it is a candidate for. */
  readonly lease: string;
}

export interface CandidateInformerOptions {
  readonly store: ResourceStore<LeaseCandidate>;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** Called after each change; for a deleted candidate, with its last state. */
  readonly onChange?: (known: KnownCandidate) => void;
}

/** All candidates, indexed by their lease. */
export class CandidateInformer {
  readonly #informer: Informer;
  readonly #known = new Map<string, KnownCandidate>();
  readonly #byLease = new Map<string, Set<string>>();

  constructor({ store, scheduler, logger, onChange }: CandidateInformerOptions) {
    this.#informer = new Informer({
      store: store,
      scheduler,
      logger,
      onChange: (stored, gone) => {
        const known = this.#index(stored, gone);
        onChange?.(known);
      },
    });
  }

  start(): Promise<void> {
    return this.#informer.start();
  }

  stop(): void {
    this.#informer.stop();
  }

  hasCandidates(lease: string): boolean {
    return this.#byLease.has(lease);
  }

  /** The candidates of a lease, in the order of their names. */
  of(lease: string): KnownCandidate[] {
    const paths = [...(this.#byLease.get(lease) ?? [])].sort(comparePaths);
    return paths.flatMap((path) => this.#known.get(path) ?? []);
  }

  all(): KnownCandidate[] {
    return [...this.#known.values()];
  }

  #index(stored: StoredObject, gone: boolean): KnownCandidate {
    const path = objectPath(stored.key);
    this.#forget(path);
    const known = readCandidate(stored);
    if (gone) return known;
    this.#known.set(path, known);
    const siblings = this.#byLease.get(known.lease) ?? new Set();
    this.#byLease.set(known.lease, siblings.add(path));
    return known;
  }

  #forget(path: string): void {
    const known = this.#known.get(path);
    if (!known) return;
    this.#known.delete(path);
    const siblings = this.#byLease.get(known.lease);
    siblings?.delete(path);
    if (siblings?.size === 0) this.#byLease.delete(known.lease);
  }
}

/** Parses a stored state as a candidate, with the state's resourceVersion. */
export function readCandidate(stored: StoredObject): KnownCandidate {
  const object = JSON.parse(stored.data) as LeaseCandidate;
  object.metadata.resourceVersion = String(stored.revision);
  const lease = `${stored.key.namespace}/${object.spec?.leaseName ?? ''}`;
  return { stored, object, candidate: candidateOf(object), lease };
}
