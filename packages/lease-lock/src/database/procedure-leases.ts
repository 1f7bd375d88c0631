import { type Clock, pause, withTimeout } from '../../../kube-client/src/clock.js';
import type { Acquired, Attempt, Claim, ClaimedLeases, Renewal } from '../backend.js';
import { LockError } from '../lock-options.js';
import { undisturbed } from '../suspend-aware-clock.js';
import type { Attempted, LeaseProcedures, LeaseState, Unchanged } from './lease-procedures.js';

/** Between two attempts: short at first, for locks that are held briefly. */
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 1_000;
const REQUEST_TIMEOUT = 5_000;

/**
 * The leases of one claim, through the procedures of docs/sql.md. A lease has expired once this contender has seen it unchanged for its duration, by a
 * clock that no correction of the time touches.
 */
export class ProcedureLeases implements ClaimedLeases {
  readonly #procedures: LeaseProcedures;
  readonly #claim: Claim;
  readonly #clock: Clock;
  /** For each lease, the revision at which it was last seen, and since when. */
  readonly #seen = new Map<string, { readonly revision: string | null; readonly since: number }>();
  #pause = FIRST_PAUSE;
  #held: { readonly lease: string; readonly token: bigint } | undefined;
  /** Acquisitions that have not been answered. */
  readonly #uncertain = new Map<string, Promise<unknown>>();

  constructor(procedures: LeaseProcedures, claim: Claim, clock: Clock) {
    this.#procedures = procedures;
    this.#claim = claim;
    this.#clock = clock;
  }

  /** Nobody queues for these leases: whoever asks first takes them. */
  async acquire(signal: AbortSignal): Promise<Attempt> {
    const { leases } = this.#claim;
    let [holder, lastLease] = ['', leases[0] ?? ''];
    for (const slot of await this.#promising(signal)) {
      const lease = leases[slot] ?? '';
      const at = this.#clock.monotonic();
      const answer = await this.#tryToTake(lease, signal);
      if ('token' in answer) {
        this.#held = { lease, token: answer.token };
        return { held: true, slot, token: answer.token, at } satisfies Acquired;
      }
      this.#see(lease, answer.revision);
      [holder, lastLease] = [answer.holder, lease];
    }
    return { held: false, holder, seemsDead: await this.#seemsDead(lastLease, signal) };
  }

  /** Leases in a database do not tell how many slots there are, so this looks at the plain lock and at the next slot. */
  async disagreement(signal: AbortSignal): Promise<string | undefined> {
    const { lock, leases } = this.#claim;
    if (leases.length === 1) return undefined;
    const [plain, next] = await this.#answered(signal, () => this.#procedures.look([lock, `${lock}-${leases.length}`]));
    if (plain?.held) return `${plain.holder} holds ${lock} as one of 1`;
    return next?.held ? `${next.holder} holds ${lock}-${leases.length} as one of more` : undefined;
  }

  async renew(signal: AbortSignal): Promise<Renewal> {
    const { lease, token } = this.#acquired();
    const at = this.#clock.monotonic();
    const { renewed, holder } = await this.#answered(signal, () => this.#procedures.renew(lease, token));
    return renewed ? { held: true, at } : { held: false, why: holder === '' ? 'freed' : 'taken' };
  }

  async release(signal: AbortSignal): Promise<void> {
    const { lease, token } = this.#acquired();
    await this.#answered(signal, () => this.#procedures.release(lease, token));
  }

  async abandon(signal: AbortSignal): Promise<void> {
    for (const [lease, attempt] of this.#uncertain) {
      // it may still be under way, on another connection
      await this.#answered(signal, () => attempt.catch(() => undefined));
      await this.#answered(signal, () => this.#procedures.release(lease));
    }
  }

  /** Attempts that are refused write no more than that they have seen the lease, and nobody waits for that. */
  async waitForChange(signal: AbortSignal): Promise<void> {
    await pause(this.#clock, this.#pause * (0.5 + Math.random()), signal);
    signal.throwIfAborted();
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
  }

  /**
   * The slots to try. Of a semaphore those that are free or seem abandoned, beginning anywhere; but first one that is held already, by an attempt whose
   * answer was lost. If there is none, one is tried for the name of its holder.
   */
  async #promising(signal: AbortSignal): Promise<number[]> {
    const { leases, holder, duration } = this.#claim;
    if (leases.length === 1) return [0];
    const states = await this.#answered(signal, () => this.#procedures.look());
    states.forEach(({ revision }, slot) => this.#see(leases[slot] ?? '', revision));
    const mine = states.findIndex((state) => state.held && state.holder === holder);
    const first = Math.floor(Math.random() * leases.length);
    const slots = leases.map((_, at) => (first + at) % leases.length);
    const free = slots.filter((slot) => !(states[slot] as LeaseState).held || this.#unchanged(leases[slot] ?? '').ms >= duration);
    return mine >= 0 ? [mine] : free.length > 0 ? free : slots.slice(0, 1);
  }

  /** Whether a holder seems dead, by the times in its lease and the database's clock. */
  async #seemsDead(lease: string, signal: AbortSignal): Promise<boolean> {
    const states = await this.#answered(signal, () => this.#procedures.look());
    const state = states[this.#claim.leases.indexOf(lease)];
    return state !== undefined && state.holder !== '' && !state.held;
  }

  /** Notes that a lease is at this revision, as an answer says that has just come. */
  #see(lease: string, revision: string | null): void {
    if (this.#seen.get(lease)?.revision !== revision) this.#seen.set(lease, { revision, since: this.#clock.monotonic() });
  }

  #unchanged(lease: string): Unchanged {
    const seen = this.#seen.get(lease);
    return seen ? { revision: seen.revision, ms: this.#clock.monotonic() - seen.since } : { revision: null, ms: 0 };
  }

  async #tryToTake(lease: string, signal: AbortSignal): Promise<Attempted> {
    return undisturbed(this.#clock, signal, async (late) => {
      const attempt = this.#procedures.acquire(lease, this.#unchanged(lease));
      this.#uncertain.set(lease, attempt);
      try {
        const answer = await this.#answered(late, () => attempt);
        this.#uncertain.delete(lease);
        return answer;
      } catch (error) {
        if (error instanceof LockError && error.why === 'refused') this.#uncertain.delete(lease);
        throw error;
      }
    });
  }

  #acquired(): { readonly lease: string; readonly token: bigint } {
    if (!this.#held) throw new Error('no lease of the claim is held');
    return this.#held;
  }

  /** A connection that has died silently is given up; whether the statement took effect is then unknown, and repeating it is right. */
  async #answered<T>(signal: AbortSignal, request: () => Promise<T>): Promise<T> {
    try {
      return await withTimeout(this.#clock, REQUEST_TIMEOUT, signal, request);
    } catch (error) {
      if (signal.aborted || error instanceof LockError) throw error;
      throw new LockError('unreachable', `the database does not answer: ${(error as Error).message}`, { cause: error });
    }
  }
}
