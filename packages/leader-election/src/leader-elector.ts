import { standAsideFor } from '../../../src/apimachinery/election/hand-over.js';
import { type Attempt, Contender } from './contender.js';
import { type CompleteOptions, type LeaderElectorOptions, completeOptions, JITTER_FACTOR, USUAL_DRAIN } from './elector-options.js';
import { LeaseCandidate } from './lease-candidate.js';
import { LeaseLock } from './lease-lock.js';
import { type LeadershipTerm, type TermEnd, Term } from './leadership-term.js';
import { pause, withTimeout } from '../../kube-client/src/clock.js';

/** The ends of a term after which others lead first. */
const HANDED_OVER: ReadonlySet<TermEnd> = new Set<TermEnd>(['max-term', 'preferred']);
/** The ends of a term that leave a lease which still names this holder. */
const GIVEN_UP: ReadonlySet<TermEnd> = new Set<TermEnd>([...HANDED_OVER, 'aborted', 'resigned', 'end-of-term', 'failed']);

/**
 * A candidate for one Lease, with client-go's protocol and parameters: both can share a lease. At most one candidate is within a term
 * at any time as long as clocks run at about the same rate; the fencing token identifies late writes of a stopped process.
 */
export class LeaderElector {
  readonly #options: CompleteOptions;
  readonly #contender: Contender;
  #term: Term | undefined;
  #reportedLeader = '';
  /** Until then a lease that was handed over is left to others. */
  #asideUntil = -Infinity;
  #running = false;

  constructor(options: LeaderElectorOptions) {
    this.#options = completeOptions(options);
    const { client, namespace, name, labels, clock, identity, leaseDuration, renewDeadline, retryPeriod, priority } = this.#options;
    const [coordinated, drains] = [this.#options.coordinated !== undefined, (this.#options.drain ?? 0) > 0];
    // As in client-go's NewFromKubeconfig: a single hanging request must not cost the lease.
    const requestTimeout = Math.max(1000, renewDeadline / 2);
    const lock = new LeaseLock({ client, namespace, name, labels, clock, requestTimeout });
    this.#contender = new Contender(lock, { identity, leaseDuration, retryPeriod, clock, priority, coordinated, drains });
  }

  get identity(): string {
    return this.#options.identity;
  }

  /** The last observed holder; informational, never a basis for decisions. */
  get leader(): string {
    return this.#contender.observedHolder;
  }

  isLeader(): boolean {
    return this.#term?.isValid() ?? false;
  }

  /** client-go's health check: false if the lease still names this candidate but expired more than this many milliseconds ago. */
  isHealthy(tolerance: number): boolean {
    if (this.leader !== this.identity) return true;
    return this.#contender.observationAge() <= this.#options.leaseDuration + tolerance;
  }

  /**
   * Campaigns, leads for one term with the callbacks, and resolves at its end or when the signal aborts. Rejects only with an error
   * that a callback throws.
   */
  async run(signal: AbortSignal = new AbortController().signal): Promise<void> {
    const { callbacks } = this.#options;
    if (!callbacks) throw new TypeError('run needs callbacks; terms() does not');
    const end = this.#begin(signal);
    let term: Term | undefined;
    try {
      term = await this.#acquire(signal);
      if (!term) return;
      const started = term;
      const work = (async () => callbacks.onStartedLeading(started))();
      work.then(
        () => started.workDone(),
        (error: unknown) => this.#workFailed(started, error),
      );
      await this.#lead(started, work, signal);
    } finally {
      await end();
      callbacks.onStoppedLeading(term);
    }
  }

  /**
   * One term after another, until the signal aborts. The loop's body is the leader's work: while it runs, the lease is renewed. If it
   * finishes early, the next iteration waits for the end of the term; leaving the loop resigns.
   */
  async *terms(signal: AbortSignal = new AbortController().signal): AsyncGenerator<LeadershipTerm, void, void> {
    const end = this.#begin(signal);
    try {
      for (let term = await this.#acquire(signal); term; term = await this.#acquire(signal)) {
        yield* this.#bodyAsWork(term, signal);
        await this.#pauseWithJitter(signal);
      }
    } finally {
      await end();
    }
  }

  async *#bodyAsWork(term: Term, signal: AbortSignal): AsyncGenerator<LeadershipTerm, void, void> {
    let bodyDone: () => void = () => undefined;
    const work = new Promise<void>((resolve) => (bodyDone = resolve));
    void work.then(() => term.workDone());
    const leading = this.#lead(term, work, signal);
    leading.catch(() => undefined); // its error is thrown below
    let left = true;
    try {
      yield term;
      left = false;
    } finally {
      if (left) term.resign();
      bodyDone();
      await leading;
    }
  }

  /** Starts what runs beside the campaign; the returned function stops it. */
  #begin(signal: AbortSignal): () => Promise<void> {
    if (this.#running) throw new Error('this elector is running already');
    this.#running = true;
    const stop = new AbortController();
    const candidate = this.#runCandidate(AbortSignal.any([signal, stop.signal]));
    return async () => {
      this.#running = false;
      stop.abort();
      await candidate;
    };
  }

  async #runCandidate(signal: AbortSignal): Promise<void> {
    const { coordinated, namespace, name, identity, clock, onError } = this.#options;
    if (!coordinated) return;
    await new LeaseCandidate({ ...coordinated, namespace, name: identity, leaseName: name, clock, onError }).run(signal);
  }

  /** Tries until the lease is held; undefined when the signal aborts first. */
  async #acquire(signal: AbortSignal): Promise<Term | undefined> {
    const { identity, renewDeadline, clock } = this.#options;
    const aside = this.#asideUntil - clock.monotonic();
    if (aside > 0) await pause(clock, aside, signal);
    while (!signal.aborted) {
      const attempt = await this.#attempt(() => this.#contender.acquire(signal), signal);
      if (attempt?.held) {
        const term = new Term({ identity, renewDeadline, clock, fencingToken: this.#contender.revision }, attempt.at);
        if (signal.aborted) return await this.#decline(term);
        if (term.isValid()) return (this.#term = term); // a response this late may belong to a lease that another candidate holds by now
      }
      await this.#pauseWithJitter(signal);
    }
    return undefined;
  }

  async #decline(term: Term): Promise<undefined> {
    term.end('aborted');
    await this.#giveUp(term, Promise.resolve());
  }

  /** Renews until the term has ended. A term that the holder ended lets its work finish and is then released. */
  async #lead(term: Term, work: Promise<void>, signal: AbortSignal): Promise<void> {
    const { drain, maxTerm = Infinity, clock, retryPeriod } = this.#options;
    const abort = () => term.askToEnd('aborted', drain ?? 0, signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    const cancelTerm =
      maxTerm < Infinity ? clock.after(maxTerm - term.age, () => term.askToEnd('max-term', drain ?? USUAL_DRAIN)) : () => undefined;
    try {
      await this.#renewUntilEnd(term);
    } catch (error) {
      term.end('failed', error);
    } finally {
      cancelTerm();
      signal.removeEventListener('abort', abort);
    }
    const { ended } = term;
    if (ended && GIVEN_UP.has(ended.why)) await this.#giveUp(term, work);
    if (ended && HANDED_OVER.has(ended.why)) this.#asideUntil = clock.monotonic() + standAsideFor(retryPeriod);
    if (ended?.why === 'failed') throw ended.cause;
  }

  async #renewUntilEnd(term: Term): Promise<void> {
    while (term.isValid()) {
      await pause(this.#options.clock, this.#options.retryPeriod, term.signal);
      if (!term.isValid()) return;
      const attempt = await this.#attempt(() => this.#contender.renew(term.signal), term.signal);
      if (attempt?.held) this.#renewed(term, attempt.at);
      else if (attempt) term.end(attempt.why === 'expired' ? 'taken' : attempt.why);
    }
  }

  /** A term lasts for a lease duration at least, so that work gets done however often candidates come that ask for the lease. */
  #renewed(term: Term, at: number): void {
    const { drain, leaseDuration } = this.#options;
    term.renewed(at);
    const asked = this.#contender.isAskedFor;
    if (asked === 'end-of-term') term.askToEnd(asked, drain ?? 0);
    else if (asked && term.age >= leaseDuration) term.askToEnd(asked, drain ?? USUAL_DRAIN);
  }

  /** The work finishes first, as long as the lease protects it; an expired lease needs no release. */
  async #giveUp(term: Term, work: Promise<void>): Promise<void> {
    const { clock, leaseDuration, renewDeadline, releaseOnCancel, onError } = this.#options;
    const inTime = new AbortController();
    const settled = work.then(
      () => inTime.abort(),
      () => inTime.abort(),
    );
    await Promise.race([settled, pause(clock, term.renewedAt + leaseDuration - clock.monotonic(), inTime.signal)]);
    const isHandedOver = term.ended !== undefined && HANDED_OVER.has(term.ended.why);
    if (!inTime.signal.aborted || !(releaseOnCancel || isHandedOver)) return;
    try {
      await withTimeout(clock, renewDeadline, new AbortController().signal, (signal) => this.#contender.release(signal));
    } catch (error) {
      onError(error);
    }
  }

  #workFailed(term: Term, error: unknown): void {
    const isAbort = error instanceof Error && error.name === 'AbortError';
    if (term.ending.aborted && isAbort) term.workDone();
    else if (term.isValid()) term.end('failed', error);
    else if (!isAbort) this.#options.onError(error);
  }

  /** Undefined when the request failed. */
  async #attempt(attempt: () => Promise<Attempt>, signal: AbortSignal): Promise<Attempt | undefined> {
    let result: Attempt | undefined;
    try {
      result = await attempt();
    } catch (error) {
      if (!signal.aborted) this.#options.onError(error);
    }
    if (!signal.aborted) this.#reportLeader();
    return result;
  }

  #reportLeader(): void {
    const { leader } = this;
    if (leader === this.#reportedLeader) return;
    this.#reportedLeader = leader;
    if (leader !== '') this.#options.callbacks?.onNewLeader?.(leader);
  }

  /** Between once and 2.2 times the retry period: client-go's JitterUntil. */
  #pauseWithJitter(signal: AbortSignal): Promise<void> {
    const { clock, retryPeriod, random } = this.#options;
    return pause(clock, retryPeriod * (1 + random() * JITTER_FACTOR), signal);
  }
}
