import { ApiError } from '../../apimachinery/errors/api-error.js';
import type { Lease } from '../../apis/coordination/lease/lease.schema.js';
import type { LeaseCandidate } from '../../apis/coordination/lease-candidate/lease-candidate.schema.js';
import type { RequestTarget, ResourceStore, UpdateSource } from '../../registry/resource/resource-store.js';
import { API_SERVER, systemContext } from '../../registry/resource/request-context.js';
import { objectPath } from '../../storage/object-path.js';
import { Informer } from '../machinery/informer.js';
import { LEADER_ELECTION } from '../machinery/declared-controller.js';
import { type QueueServices, type RetryQueue, queueOf } from '../machinery/retry-queue.js';
import { type Candidate, type Election, type ElectionStep, changedLease, electionStep, newLease } from './election.js';
import { type KnownCandidate, CandidateInformer } from './candidate-informer.js';
import { microTime } from '../../apimachinery/go/go-time.js';
import { leaseCandidateV1beta1 } from '../../apis/coordination/lease-candidate/lease-candidate.resource.js';
import type { ResourceVersionDefinition } from '../../registry/resource/resource-definition.js';

export interface LeaderElectionOptions extends QueueServices {
  readonly leases: ResourceStore<Lease>;
  readonly candidates: ResourceStore<LeaseCandidate>;
  /** Milliseconds of the wall clock. */
  readonly now: () => number;
}

const WRITE = { dryRun: false, fieldManager: API_SERVER, fieldValidation: 'Ignore' } as const;
/** How often a lease with live candidates is evaluated; time alone can make a step due. */
const AGAIN_MS = 5000;

/**
 * Coordinated leader election: creates leases for candidates, elects holders, and tells a holder about a better candidate (kubernetes
 * pkg/controlplane/controller/leaderelection). Meant to run on one replica; a second instance would only lose races, because every write is
 * conditional on the state it was computed from.
 */
export class LeaderElectionReconciler {
  readonly #options: LeaderElectionOptions;
  readonly #abort = new AbortController();
  readonly #queue: RetryQueue<string>;
  readonly #leases: Informer;
  readonly #candidates: CandidateInformer;
  /** The last problem of each lease, so that a persistent one is logged once. */
  readonly #problems = new Map<string, string>();

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    const { scheduler, logger } = options;
    this.#queue = queueOf(LEADER_ELECTION, options, (lease) => this.#reconcile(lease));
    this.#candidates = new CandidateInformer({ store: options.candidates, scheduler, logger, onChange: (known) => this.#seen(known) });
    this.#leases = new Informer({
      store: options.leases,
      scheduler,
      logger,
      onChange: ({ key }) => {
        const path = objectPath({ ...key });
        if (this.#candidates.hasCandidates(path)) this.#queue.add(path, path);
      },
    });
  }

  async start(): Promise<void> {
    await this.#leases.start();
    await this.#candidates.start();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    this.#leases.stop();
    this.#candidates.stop();
    await this.#queue.stop();
  }

  /** A candidate that was just pinged changes nothing until it answers. */
  #seen({ candidate, lease }: KnownCandidate): void {
    const { pingTime, renewTime } = candidate;
    if (pingTime !== undefined && renewTime !== undefined && renewTime < pingTime) return;
    this.#queue.add(lease, lease);
  }

  async #reconcile(lease: string): Promise<number | undefined> {
    const known = this.#candidates.of(lease);
    const now = this.#options.now() * 1000;
    const step = electionStep(
      known.map(({ candidate }) => candidate),
      this.#leaseAt(lease)?.spec,
      now,
    );
    this.#report(lease, await this.#carryOut(lease, step, known));
    return step.kind === 'rest' ? undefined : AGAIN_MS;
  }

  /** Returns the problem, if there is one; the next run then tries again. */
  async #carryOut(lease: string, step: ElectionStep, known: readonly KnownCandidate[]): Promise<string | undefined> {
    try {
      if (step.kind === 'ping') await this.#ping(step.candidates, known);
      if (step.kind === 'elect') await this.#elect(lease, step.election);
      return step.kind === 'problem' ? step.problem : undefined;
    } catch (error) {
      if (this.#abort.signal.aborted || (error instanceof ApiError && error.status.reason === 'Conflict')) return undefined;
      if (error instanceof ApiError) return error.message;
      throw error;
    }
  }

  async #ping(candidates: readonly Candidate[], known: readonly KnownCandidate[]): Promise<void> {
    const pingTime = microTime(this.#options.now());
    const asked = known.filter(({ candidate }) => candidates.includes(candidate));
    const written = await Promise.allSettled(
      asked.map(({ object, stored }) => {
        const target = { version: pingVersion, namespace: stored.key.namespace, name: stored.key.name };
        return this.#options.candidates.update(this.#context(), target, put({ ...object, spec: { ...object.spec, pingTime } }), WRITE);
      }),
    );
    const failed = written.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #elect(path: string, election: Election): Promise<void> {
    const { leases, now } = this.#options;
    const target = this.#leaseTarget(path);
    try {
      const lease: Lease = { metadata: { name: target.name }, spec: newLease(election, now() * 1000) };
      await leases.create(this.#context(), { ...target, name: '' }, lease, WRITE);
      this.#options.logger.info({ lease: path, ...election }, 'created a lease for its candidates');
    } catch (error) {
      if (!(error instanceof ApiError && error.status.reason === 'AlreadyExists')) throw error;
      await this.#change(path, target, election);
    }
  }

  async #change(path: string, target: RequestTarget, election: Election): Promise<void> {
    const { leases, now } = this.#options;
    const stored = await leases.get(target, { resourceVersion: '' });
    const lease = JSON.parse(stored.data) as Lease;
    const spec = changedLease(lease.spec ?? {}, election, now() * 1000);
    if (!spec) return;
    const metadata = { ...lease.metadata, resourceVersion: String(stored.revision) };
    await leases.update(this.#context(), target, put({ ...lease, metadata, spec }), WRITE);
    const { holderIdentity, preferredHolder } = spec;
    this.#options.logger.info(
      { lease: path, strategy: spec.strategy, holderIdentity, preferredHolder },
      'changed a lease for its candidates',
    );
  }

  #leaseAt(path: string): Lease | undefined {
    const stored = this.#leases.get(path);
    return stored && (JSON.parse(stored.data) as Lease);
  }

  #leaseTarget(path: string): RequestTarget {
    const [namespace = ''] = path.split('/', 1);
    return { version: this.#options.leases.definition.storageVersion, namespace, name: path.slice(namespace.length + 1) };
  }

  #report(lease: string, problem: string | undefined): void {
    if (problem === undefined) {
      this.#problems.delete(lease);
    } else if (this.#problems.get(lease) !== problem) {
      this.#problems.set(lease, problem);
      this.#options.logger.warn({ lease, problem }, 'cannot elect a holder');
    }
  }

  #context() {
    return systemContext(API_SERVER, this.#abort.signal);
  }
}

/** A PUT that succeeds only if the object is unchanged since it was read. */
function put(object: Lease | LeaseCandidate): UpdateSource {
  return { next: () => object, mayCreate: false, tracksFields: 'update', retries: false };
}

/**
 * The version in which the reconciler writes candidates: v1beta1 without validation. It changes only pingTime, and must be able to ping
 * candidates that are valid only in another version (no strategy).
 */
const pingVersion: ResourceVersionDefinition<LeaseCandidate> = {
  ...leaseCandidateV1beta1,
  validation: { validate: () => [], validateUpdate: () => [] },
};
