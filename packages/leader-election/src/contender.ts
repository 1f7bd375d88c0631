import {
  type Annotations,
  type Contender as Candidate,
  asksFor,
  preferredTo,
  standAsideFor,
  takenBy,
  yieldsTo,
} from '../../../src/apimachinery/election/hand-over.js';
import type { Clock } from '../../kube-client/src/clock.js';
import { type ElectionRecord, Observation } from '../../kube-client/src/observation.js';
import { KubernetesError } from '../../kube-client/src/coordination-client.js';
import { microTime, renewalTime } from '../../kube-client/src/kubernetes-objects.js';
import type { LeaseLock } from './lease-lock.js';

/** The result of one attempt on the lease; `at` is the moment before its request, from which the lease runs at the latest. */
export type Attempt =
  { readonly held: true; readonly at: number } | { readonly held: false; readonly why: 'taken' | 'missing' | 'end-of-term' | 'expired' };

export interface ContenderOptions {
  readonly identity: string;
  readonly leaseDuration: number;
  readonly retryPeriod: number;
  readonly clock: Clock;
  /** Without one, nobody is asked to hand over, nor asked by others. */
  readonly priority: number | undefined;
  /** Whether it goes on renewing for a while once the election controller prefers another. */
  readonly drains: boolean;
  /** Only renews what the election controller has assigned. */
  readonly coordinated: boolean;
}

/** One candidate's view of one lease and its single attempts on it; LeaderElector decides when to make them. */
export class Contender {
  readonly #lock: LeaseLock;
  readonly #options: ContenderOptions;
  readonly #observation = new Observation();

  constructor(lock: LeaseLock, options: ContenderOptions) {
    this.#lock = lock;
    this.#options = options;
  }

  /** The last observed holder; empty when there is none. */
  get observedHolder(): string {
    return this.#observation.record?.holderIdentity ?? '';
  }

  /** The resourceVersion of the last write. */
  get revision(): bigint {
    return this.#lock.revision;
  }

  /** Why the lease that this contender holds is to be handed over, by its last known version. */
  get isAskedFor(): 'preferred' | 'end-of-term' | undefined {
    if (this.#observation.record?.preferredHolder && this.#options.coordinated) return 'end-of-term';
    const own = this.#candidate;
    return own && preferredTo(own, this.#lock.view) !== undefined ? 'preferred' : undefined;
  }

  /** Milliseconds since the last change of the record. */
  observationAge(): number {
    return this.#observation.age(this.#options.clock.monotonic());
  }

  /** client-go's tryAcquireOrRenew and tryCoordinatedRenew for a candidate that does not lead. */
  async acquire(signal: AbortSignal): Promise<Attempt> {
    const at = this.#options.clock.monotonic();
    const current = await this.#observe(signal);
    if (this.#options.coordinated) return this.#takeOverAssigned(current, at, signal);
    if (!current) {
      await this.#write('create', this.#newTerm(0), at, signal, takenBy(this.#candidate));
      return { held: true, at };
    }
    const mine = current.holderIdentity === this.#options.identity;
    if (!mine && current.holderIdentity !== '' && !this.#observation.expired(at)) {
      await this.#ask(signal);
      return { held: false, why: 'taken' };
    }
    if (this.#isForAnother(at)) return { held: false, why: 'taken' };
    const record = mine ? this.#renewal(current) : this.#newTerm(current.leaseTransitions + 1);
    await this.#write('update', record, at, signal, takenBy(this.#candidate, this.#lock.view.annotations));
    return { held: true, at };
  }

  /**
   * Renews the lease that this contender holds: one update of the version it knows, and only after a conflict a read and another update.
   * Unlike in client-go, a renewal never takes back a lease that was deleted or held by another candidate meanwhile: that would be a new
   * term, which needs a new fencing token.
   */
  async renew(signal: AbortSignal): Promise<Attempt> {
    const at = this.#options.clock.monotonic();
    const known = this.#observation.record;
    if (known) {
      try {
        await this.#change(this.#renewal(known), at, signal);
        return { held: true, at };
      } catch (error) {
        if (!(error instanceof KubernetesError)) throw error;
      }
    }
    const current = await this.#observe(signal);
    const lost = this.#lostTo(current, this.#options.drains);
    if (lost || !current) return { held: false, why: lost ?? 'missing' };
    await this.#change(this.#renewal(current), at, signal);
    return { held: true, at };
  }

  /** Releases the lease if this contender still holds it. */
  async release(signal: AbortSignal): Promise<void> {
    const known = this.#observation.record;
    if (known?.holderIdentity !== this.#options.identity) return;
    try {
      await this.#writeRelease(known, signal);
    } catch (error) {
      if (!KubernetesError.isConflict(error)) throw error;
      const current = await this.#observe(signal);
      if (current?.holderIdentity === this.#options.identity) await this.#writeRelease(current, signal);
    }
  }

  async #takeOverAssigned(current: ElectionRecord | undefined, at: number, signal: AbortSignal): Promise<Attempt> {
    const lost = this.#lostTo(current);
    if (lost || !current) return { held: false, why: lost ?? 'missing' };
    if (this.#observation.expired(at)) return { held: false, why: 'expired' };
    await this.#change(this.#renewal(current), at, signal);
    return { held: true, at };
  }

  #lostTo(current: ElectionRecord | undefined, isDraining = false): 'taken' | 'missing' | 'end-of-term' | undefined {
    if (!current) return 'missing';
    if (current.holderIdentity !== this.#options.identity) return 'taken';
    return this.#options.coordinated && current.preferredHolder && !isDraining ? 'end-of-term' : undefined;
  }

  get #candidate(): Candidate | undefined {
    const { identity: holder, priority } = this.#options;
    return priority === undefined ? undefined : { holder, priority };
  }

  /** Only annotations change, which nobody takes for a renewal; the next attempt sees whether somebody else was faster. */
  async #ask(signal: AbortSignal): Promise<void> {
    const own = this.#candidate;
    const annotations = own && asksFor(own, this.#lock.view);
    if (!annotations) return;
    try {
      await this.#lock.annotate(annotations, signal);
    } catch (error) {
      if (!KubernetesError.isConflict(error)) throw error;
    }
  }

  #isForAnother(at: number): boolean {
    const { identity: holder, priority, retryPeriod } = this.#options;
    return yieldsTo({ holder, priority }, this.#lock.view) !== undefined && this.#observation.age(at) < standAsideFor(retryPeriod);
  }

  async #observe(signal: AbortSignal): Promise<ElectionRecord | undefined> {
    const record = await this.#lock.get(signal);
    if (record) this.#observation.saw(record, this.#options.clock.monotonic());
    return record;
  }

  /** Changes the record alone. */
  #change(record: ElectionRecord, at: number, signal: AbortSignal): Promise<void> {
    return this.#write('update', record, at, signal, this.#lock.view.annotations);
  }

  async #write(
    verb: 'create' | 'update',
    record: ElectionRecord,
    at: number,
    signal: AbortSignal,
    annotations: Annotations | undefined,
  ): Promise<void> {
    await this.#lock[verb](record, signal, annotations);
    this.#observation.wrote(record, at);
  }

  #writeRelease(current: ElectionRecord, signal: AbortSignal): Promise<void> {
    const now = microTime(this.#options.clock.wallTime());
    const { leaseTransitions } = current;
    const record = { holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions, acquireTime: now, renewTime: now };
    return this.#change(record, this.#options.clock.monotonic(), signal);
  }

  #newTerm(leaseTransitions: number): ElectionRecord {
    const now = microTime(this.#options.clock.wallTime());
    return { ...this.#claim(), leaseTransitions, acquireTime: now, renewTime: now };
  }

  #renewal({ leaseTransitions, acquireTime, strategy, preferredHolder, renewTime: last }: ElectionRecord): ElectionRecord {
    const renewTime = renewalTime(this.#options.clock.wallTime(), last);
    return { ...this.#claim(), leaseTransitions, acquireTime, renewTime, ...(this.#options.coordinated && { strategy, preferredHolder }) };
  }

  /** A Lease has only whole seconds: rounded up, so that other candidates never count less than this one. */
  #claim(): { holderIdentity: string; leaseDurationSeconds: number } {
    const { identity, leaseDuration } = this.#options;
    return { holderIdentity: identity, leaseDurationSeconds: Math.ceil(leaseDuration / 1000) };
  }
}
