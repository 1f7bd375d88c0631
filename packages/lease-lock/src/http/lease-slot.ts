import {
  type Annotations,
  type Contender,
  asksFor,
  preferredTo,
  standAsideFor,
  takenBy,
  yieldsTo,
} from '../../../../src/apimachinery/election/hand-over.js';
import type { Clock } from '../../../kube-client/src/clock.js';
import { type ElectionRecord, Observation, recordFromSpec, specFromRecord } from '../../../kube-client/src/observation.js';
import { KubernetesError } from '../../../kube-client/src/coordination-client.js';
import { type Lease, microTime, renewalTime } from '../../../kube-client/src/kubernetes-objects.js';
import type { Renewal } from '../backend.js';
import { type LeaseRequests, type ServerTime, isCurrent, isMissing, versionOf } from './lease-requests.js';

export interface SlotOptions {
  readonly requests: LeaseRequests;
  readonly namespace: string;
  readonly name: string;
  readonly holder: string;
  /** In milliseconds. */
  readonly duration: number;
  /** Without one, the slot neither asks its holder to hand over, nor is asked. */
  readonly priority: number | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly time: ServerTime;
}

export interface Taken {
  readonly token: bigint;
  readonly at: number;
}

/**
 * One Lease with client-go's protocol: it is free if it names no holder, or if its record has not changed for its duration by the local
 * clock. States come from reads and from watches; a write replaces exactly the known version.
 */
export class LeaseSlot {
  readonly #options: SlotOptions;
  readonly #observation = new Observation();
  #lease: Lease | undefined;
  #known = false;
  #livesOn = false;
  #isUncertain = false;

  constructor(options: SlotOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  get known(): boolean {
    return this.#known;
  }

  /** The last known state; undefined for a lease that does not exist. */
  get lease(): Lease | undefined {
    return this.#lease;
  }

  get holder(): string {
    return this.#lease?.spec?.holderIdentity ?? '';
  }

  /** Whether the last write was not answered. */
  get isUncertain(): boolean {
    return this.#isUncertain;
  }

  /** Whether it was free when it was last seen, or has expired since. */
  get isFree(): boolean {
    if (!this.#known) return false;
    if (this.holder === '') return this.#isForAnother <= 0;
    return this.#isMine || this.#observation.expired(this.#options.clock.monotonic());
  }

  /** Whether the holder is to be asked to hand over. */
  get isToBeAsked(): boolean {
    return this.#known && this.#ask !== undefined;
  }

  /** Milliseconds until it expires unless it changes, or until it is free for all if it was handed over to another. */
  get expiresIn(): number {
    if (this.holder === '' && this.#isForAnother > 0) return this.#isForAnother;
    const { leaseDurationSeconds = 0 } = this.#lease?.spec ?? {};
    return leaseDurationSeconds * 1000 - this.#observation.age(this.#options.clock.monotonic());
  }

  /** Whether the holder seems dead: by the times in the lease, unless it was seen to change. */
  get seemsDead(): boolean {
    return !this.#livesOn && !isCurrent(this.#lease, this.#options.time.now());
  }

  saw(lease: Lease | undefined): void {
    const { holderIdentity, renewTime } = this.#lease?.spec ?? {};
    if (lease?.spec?.holderIdentity !== holderIdentity) this.#livesOn = false;
    else if (this.#known && lease?.spec?.renewTime !== renewTime) this.#livesOn = true;
    this.#lease = lease;
    this.#known = true;
    if (lease) this.#observation.saw(recordFromSpec(lease.spec), this.#options.clock.monotonic());
  }

  async look(signal: AbortSignal): Promise<void> {
    this.saw(await this.#options.requests.get(this.name, signal));
  }

  /** Takes the free lease; undefined if it has changed meanwhile. */
  async take(signal: AbortSignal): Promise<Taken | undefined> {
    const known = this.#lease;
    const record = recordFromSpec(known?.spec);
    const at = this.#options.clock.monotonic();
    try {
      const annotations = takenBy(this.#contender, known?.metadata.annotations);
      if (!known) await this.#create(this.#newTerm(0), at, signal, annotations);
      else await this.#update(this.#isMine ? this.#renewal(record) : this.#newTerm(record.leaseTransitions + 1), at, signal, annotations);
    } catch (error) {
      if (KubernetesError.isConflict(error) || (known && isMissing(error))) return undefined;
      throw error;
    }
    return { token: versionOf(this.#lease), at };
  }

  /** One update of the known version, and only after a refusal a read and another update. */
  async renew(signal: AbortSignal): Promise<Renewal> {
    const at = this.#options.clock.monotonic();
    if (this.#known && this.#isMine) {
      try {
        await this.#change(this.#renewal(this.#record), at, signal);
        return this.#held(at);
      } catch (error) {
        if (!KubernetesError.isConflict(error) && !isMissing(error)) throw error;
      }
    }
    await this.look(signal);
    if (!this.#isMine) return { held: false, why: this.holder === '' ? 'freed' : 'taken' };
    await this.#change(this.#renewal(this.#record), at, signal);
    return this.#held(at);
  }

  /** Asks the holder to hand over, if it is to be asked: only annotations change, which no contender at a server takes for a renewal. */
  async ask(signal: AbortSignal): Promise<void> {
    const annotations = this.#known ? this.#ask : undefined;
    const lease = this.#lease;
    if (!annotations || !lease) return;
    this.#known = false;
    try {
      this.#lease = await this.#options.requests.update({ ...lease, metadata: { ...lease.metadata, annotations } }, signal);
      this.#known = true;
    } catch (error) {
      if (!KubernetesError.isConflict(error) && !isMissing(error)) throw error;
    }
  }

  async release(signal: AbortSignal): Promise<void> {
    if (!this.#known) await this.look(signal);
    if (!this.#isMine) return;
    try {
      await this.#writeRelease(signal);
    } catch (error) {
      if (!KubernetesError.isConflict(error) && !isMissing(error)) throw error;
      await this.look(signal);
      if (this.#isMine) await this.#writeRelease(signal);
    }
  }

  /** Whether this contender holds it in the given state. */
  isOf(lease: Lease): boolean {
    return lease.spec?.holderIdentity === this.#options.holder;
  }

  get #isMine(): boolean {
    return this.holder === this.#options.holder;
  }

  get #record(): ElectionRecord {
    return recordFromSpec(this.#lease?.spec);
  }

  get #contender(): Contender | undefined {
    const { holder, priority } = this.#options;
    return priority === undefined ? undefined : { holder, priority };
  }

  get #view() {
    return { holder: this.holder, annotations: this.#lease?.metadata.annotations };
  }

  get #ask(): Annotations | undefined {
    return this.#contender && asksFor(this.#contender, this.#view);
  }

  /** Milliseconds for which the free lease is left to the one for whom it was handed over. */
  get #isForAnother(): number {
    const { clock, duration, holder, priority } = this.#options;
    if (yieldsTo({ holder, priority }, this.#view) === undefined) return 0;
    return standAsideFor((duration / 15) * 2) - this.#observation.age(clock.monotonic());
  }

  #held(at: number): Renewal {
    const preferred = this.#contender && preferredTo(this.#contender, this.#view);
    return { held: true, at, ...(preferred !== undefined && { preferred }) };
  }

  async #create(record: ElectionRecord, at: number, signal: AbortSignal, annotations: Annotations | undefined): Promise<void> {
    const { requests, name, namespace, labels } = this.#options;
    const lease: Lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace, ...(Object.keys(labels).length > 0 && { labels: { ...labels } }), annotations },
      spec: specFromRecord(record),
    };
    await this.#write(record, at, () => requests.create(lease, signal));
  }

  /** Changes the record alone. */
  #change(record: ElectionRecord, at: number, signal: AbortSignal): Promise<void> {
    return this.#update(record, at, signal, this.#lease?.metadata.annotations);
  }

  async #update(record: ElectionRecord, at: number, signal: AbortSignal, annotations: Annotations | undefined): Promise<void> {
    const { requests, labels } = this.#options;
    const { metadata = {} } = this.#lease ?? {};
    const lease: Lease = {
      ...this.#lease,
      metadata: { ...metadata, labels: { ...metadata.labels, ...labels }, annotations },
      spec: specFromRecord(record),
    };
    await this.#write(record, at, () => requests.update(lease, signal));
  }

  /** After a failure nobody knows whether the write took effect: the next request reads the lease first. */
  async #write(record: ElectionRecord, at: number, write: () => Promise<Lease>): Promise<void> {
    this.#known = false;
    this.#isUncertain = true;
    try {
      this.#lease = await write();
    } catch (error) {
      this.#isUncertain = !(error instanceof KubernetesError);
      throw error;
    }
    this.#isUncertain = false;
    this.#known = true;
    this.#observation.wrote(record, at);
  }

  #writeRelease(signal: AbortSignal): Promise<void> {
    const now = microTime(this.#options.time.now());
    const { leaseTransitions } = this.#record;
    const record = { holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions, acquireTime: now, renewTime: now };
    return this.#change(record, this.#options.clock.monotonic(), signal);
  }

  #newTerm(leaseTransitions: number): ElectionRecord {
    const now = microTime(this.#options.time.now());
    return { ...this.#claim(), leaseTransitions, acquireTime: now, renewTime: now };
  }

  #renewal({ leaseTransitions, acquireTime, renewTime: last }: ElectionRecord): ElectionRecord {
    return { ...this.#claim(), leaseTransitions, acquireTime, renewTime: renewalTime(this.#options.time.now(), last) };
  }

  /** A Lease has only whole seconds: rounded up, so that others never count less than this holder. */
  #claim(): { holderIdentity: string; leaseDurationSeconds: number } {
    const { holder, duration } = this.#options;
    return { holderIdentity: holder, leaseDurationSeconds: Math.ceil(duration / 1000) };
  }
}
