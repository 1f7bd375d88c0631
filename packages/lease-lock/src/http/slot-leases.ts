import { createHash } from 'node:crypto';
import { UNKNOWN_CREDENTIALS } from '../../../../src/kube/connection-failure.js';
import { pause } from '../../../kube-client/src/clock.js';
import { KubernetesError } from '../../../kube-client/src/coordination-client.js';
import type { Acquired, Attempt, Claim, ClaimedLeases, Renewal } from '../backend.js';
import { WhenDue } from '../held-lock.js';
import { LockError, isUnreachable } from '../lock-options.js';
import { undisturbed } from '../suspend-aware-clock.js';
import { type Selector, type ServerAccess, isCurrent, isTooOld, versionOf } from './lease-requests.js';
import { LeaseSlot } from './lease-slot.js';

/** How often leases are read that no watch covers. */
const LOOK_EVERY = 2_000;
/** Before a watch that the server has ended is opened again. */
const REOPEN_AFTER = 100;
/** After this time leases are read anyway: a connection that died silently brings no events. */
const WATCH_AT_MOST = 30_000;

/** The leases of one claim, as Lease objects of an API server. */
export class SlotLeases implements ClaimedLeases {
  readonly #access: ServerAccess;
  readonly #lock: string;
  readonly #names: LeaseNames;
  readonly #slots: readonly LeaseSlot[];
  #held: LeaseSlot | undefined;

  constructor(access: ServerAccess, claim: Claim) {
    this.#access = access;
    this.#lock = claim.lock;
    this.#names = leaseNames(claim.lock);
    const { requests, clock, time } = access;
    const labels = claim.leases.length > 1 ? { ...this.#names.slotLabel, [SLOTS_LABEL]: String(claim.leases.length) } : {};
    const { namespace, holder, duration, priority } = claim;
    this.#slots = claim.leases.map((name) => new LeaseSlot({ requests, namespace, name, holder, duration, priority, labels, clock, time }));
  }

  acquire(signal: AbortSignal, mayTake?: () => Promise<boolean>): Promise<Attempt> {
    return asLockErrors(async () => {
      const first = Math.floor(Math.random() * this.#slots.length);
      for (let at = 0; at < this.#slots.length; at++) {
        const slot = (first + at) % this.#slots.length;
        const acquired = await this.#tryToTake(slot, signal, mayTake);
        if (acquired) return acquired;
      }
      for (const slot of this.#slots) await slot.ask(signal);
      const holder = this.#slots.find((slot) => slot.holder !== '' && !slot.isFree);
      return { held: false, holder: holder?.holder ?? '', seemsDead: this.#slots.some((slot) => slot.holder !== '' && slot.seemsDead) };
    });
  }

  disagreement(signal: AbortSignal): Promise<string | undefined> {
    return asLockErrors(async () => {
      if (this.#slots.length === 1) return undefined;
      const { requests, time } = this.#access;
      const slots = await requests.list(labelSelector(this.#names.slotLabel), signal);
      const plain = await requests.get(this.#lock, signal);
      for (const lease of plain ? [plain, ...slots] : slots) {
        const said = lease === plain ? '1' : lease.metadata.labels?.[SLOTS_LABEL];
        if (said === undefined || said === String(this.#slots.length) || !lease.spec?.holderIdentity || !isCurrent(lease, time.now())) {
          continue;
        }
        return `${lease.spec.holderIdentity} holds ${lease.metadata.name} as one of ${said}`;
      }
      return undefined;
    });
  }

  renew(signal: AbortSignal): Promise<Renewal> {
    return asLockErrors(() => this.#acquired().renew(signal));
  }

  untilTaken(signal: AbortSignal): Promise<void> {
    return asLockErrors(async () => {
      const { requests, clock } = this.#access;
      const slot = this.#acquired();
      while (!signal.aborted) {
        try {
          const events = requests.watch({ name: slot.name }, versionOf(slot.lease).toString(), signal);
          for await (const { type, lease } of events) if (type === 'DELETED' || !slot.isOf(lease)) return;
        } catch (error) {
          if (!signal.aborted && !isUnreachable(error) && !isTooOld(error)) throw error;
        }
        await pause(clock, LOOK_EVERY, signal);
      }
    });
  }

  release(signal: AbortSignal): Promise<void> {
    return asLockErrors(() => this.#acquired().release(signal));
  }

  abandon(signal: AbortSignal): Promise<void> {
    return asLockErrors(async () => {
      for (const slot of this.#slots) if (slot.isUncertain) await slot.release(signal);
    });
  }

  /** Events are as good as reads: a lease that they show as free is taken without a read. */
  waitForChange(signal: AbortSignal, anyChange = false): Promise<void> {
    return asLockErrors(async () => {
      for (const slot of this.#slots) if (!slot.known) await slot.look(signal);
      while (!this.#isWorthAnAttempt()) {
        const changed = await this.#follow(signal, anyChange);
        if (changed || this.#isWorthAnAttempt()) return;
        for (const slot of this.#slots) await slot.look(signal);
      }
    });
  }

  /** The state is read if it is not known, and again after somebody else was faster. */
  async #tryToTake(index: number, signal: AbortSignal, mayTake: () => Promise<boolean> = () => Promise.resolve(true)) {
    const slot = this.#slots[index] as LeaseSlot;
    for (let tries = 0; tries < 2; tries++) {
      if (!slot.known) await slot.look(signal);
      if (!slot.isFree || !(await mayTake())) return undefined;
      const taken = await undisturbed(this.#access.clock, signal, (late) => slot.take(late));
      if (taken) {
        this.#held = slot;
        return { held: true, slot: index, ...taken } satisfies Acquired;
      }
    }
    return undefined;
  }

  #acquired(): LeaseSlot {
    if (!this.#held) throw new Error('no lease of the claim is held');
    return this.#held;
  }

  #isWorthAnAttempt(): boolean {
    return this.#slots.some((slot) => slot.isFree || slot.isToBeAsked);
  }

  /** A lease of a semaphore that another client has made lacks the label. */
  #isWatched({ lease }: LeaseSlot): boolean {
    if (this.#slots.length === 1) return true;
    return Object.entries(this.#names.slotLabel).every(([key, value]) => lease?.metadata.labels?.[key] === value);
  }

  /** Follows the leases until one is free, has expired, or has to be read. True after any change if any is wanted. */
  async #follow(signal: AbortSignal, anyChange: boolean): Promise<boolean> {
    const { requests, clock } = this.#access;
    const watched = this.#slots.filter((slot) => this.#isWatched(slot));
    const lookAgain = watched.length < this.#slots.length ? LOOK_EVERY : WATCH_AT_MOST;
    const end = new AbortController();
    const within = AbortSignal.any([signal, end.signal]);
    const until = clock.monotonic() + lookAgain;
    const left = (): number => Math.min(until - clock.monotonic(), ...this.#slots.map((slot) => slot.expiresIn));
    const expiry = new WhenDue(clock, left, () => end.abort());
    try {
      const events = watched.length === 0 ? [] : requests.watch(this.#selector(), oldestVersion(watched), within);
      for await (const { type, lease } of events) {
        const slot = this.#slots.find(({ name }) => name === lease.metadata.name);
        if (slot && versionOf(lease) > versionOf(slot.lease)) slot.saw(type === 'DELETED' ? undefined : lease);
        if (anyChange || this.#isWorthAnAttempt()) return true;
        expiry.check();
      }
      await pause(clock, watched.length === 0 ? lookAgain : REOPEN_AFTER, within);
    } catch (error) {
      if (signal.aborted) throw error;
      if (isTooOld(error)) await pause(clock, LOOK_EVERY, within);
      else if (!end.signal.aborted) throw error;
    } finally {
      expiry.cancel();
      end.abort();
    }
    signal.throwIfAborted();
    return false;
  }

  #selector(): Selector {
    const [only] = this.#slots;
    return this.#slots.length === 1 && only ? { name: only.name } : { label: labelSelector(this.#names.slotLabel) };
  }
}

/** A watch from here on shows every change since the slots were read. */
function oldestVersion(slots: readonly LeaseSlot[]): string {
  return slots
    .map(({ lease }) => versionOf(lease))
    .reduce((oldest, version) => (version < oldest ? version : oldest))
    .toString();
}

/** On the leases of a semaphore, with which they can be watched together. */
const SLOT_LABEL = 'coordination-apiserver/slot-of';
/** On the same leases: how many slots there are, as their last holder was told. */
const SLOTS_LABEL = 'coordination-apiserver/slots';
/** On the leases that form a queue: its tickets and its register. */
const QUEUE_LABEL = 'coordination-apiserver/queue-of';

const LONGEST_LABEL = 63;
const HASH_LENGTH = 12;

export interface LeaseNames {
  /** The queue's newest ticket is noted in this lease. */
  readonly register: string;
  readonly ticketPrefix: string;
  readonly slotLabel: Readonly<Record<string, string>>;
  readonly queueLabel: Readonly<Record<string, string>>;
}

/** The names and labels that belong to a lock of this name. */
export function leaseNames(lock: string): LeaseNames {
  return {
    register: `${lock}.queue`,
    ticketPrefix: `${lock}.ticket-`,
    slotLabel: { [SLOT_LABEL]: labelValue(lock) },
    queueLabel: { [QUEUE_LABEL]: labelValue(lock) },
  };
}

export function labelSelector(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** A label's value is shorter than a name may be. */
function labelValue(lock: string): string {
  if (lock.length <= LONGEST_LABEL) return lock;
  const hash = createHash('sha256').update(lock).digest('hex').slice(0, HASH_LENGTH);
  return `${lock.slice(0, LONGEST_LABEL - HASH_LENGTH - 1)}-${hash}`;
}

/** Runs requests for a caller that does not know that they go to an API server. */
export async function asLockErrors<T>(requests: () => Promise<T>): Promise<T> {
  try {
    return await requests();
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
    // A repeated conflict means that others changed it.
    if (error.status === 409) throw new LockError('unreachable', `the lease changes too often: ${error.message}`, { cause: error });
    const remedy = error.status === 401 ? `: ${UNKNOWN_CREDENTIALS}` : '';
    throw new LockError('refused', `the server refused: ${error.message} (${error.status})${remedy}`, { cause: error });
  }
}
