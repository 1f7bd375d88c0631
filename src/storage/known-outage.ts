import { type Scheduler, sleep } from '../time/scheduler.js';
import { StorageError } from './storage-errors.js';

/**
 * How long requests wait for the database before an outage counts as known. Longer than the two seconds, with jitter, between the attempts
 * of client-go's leader elector: after a failover, every leader has a renewal waiting that succeeds the moment the database is back.
 */
const KNOWN_AFTER_MS = 3_000;

/** How soon a working database answers the question whether it works, and how often that is asked. */
const LOOK_MS = 1_000;

export interface SilenceOptions {
  /**
   * Whether the database answers another question, while one is unanswered that may have to wait, as a commit for a standby. Without it, the
   * silence is an outage.
   */
  readonly answersOthers?: () => Promise<unknown>;
  /** Called from time to time while nothing is answered. */
  readonly silent?: (error: StorageError) => void;
}

interface Question {
  /** When it was asked, or the database last answered another one. */
  since: number;
}

/**
 * Whether the database has been unreachable, or has answered nothing, for so long that requests are refused at once
 * (docs/decisions/0028-refusals-in-an-outage.md). Its owner keeps trying by itself, since refused requests do not find out when it is back.
 */
export class KnownOutage {
  readonly #scheduler: Scheduler;
  readonly #options: SilenceOptions;
  #began: number | undefined;
  #cause: unknown;
  #question: Question | undefined;
  #isSilent = false;
  #cancel: () => void = () => undefined;

  constructor(scheduler: Scheduler, options: SilenceOptions = {}) {
    this.#scheduler = scheduler;
    this.#options = options;
  }

  /** Whether the last attempt failed. */
  get isOngoing(): boolean {
    return this.#began !== undefined;
  }

  /** A question is sent to the database; there is one at a time. */
  asked(): void {
    this.#cancel();
    this.#question = { since: this.#scheduler.now() };
    this.#lookLater(this.#question, KNOWN_AFTER_MS);
  }

  /** The question was answered, which says nothing about failures before. */
  answered(): void {
    this.#cancel();
    this.#question = undefined;
    this.#isSilent = false;
  }

  /** The database could not be reached, or has not answered the question. */
  failed(cause: unknown): void {
    this.#began ??= this.#question?.since ?? this.#scheduler.now();
    this.#cause = cause;
    this.answered();
  }

  /** The database responded, as it should. */
  ended(): void {
    this.#began = this.#cause = undefined;
    this.answered();
  }

  /** The error of a request that arrives now; undefined if it may wait for the database. */
  refusal(): StorageError | undefined {
    const isKnown = this.#began !== undefined && this.#scheduler.now() - this.#began >= KNOWN_AFTER_MS;
    if (!isKnown && !this.#isSilent) return undefined;
    return this.#error();
  }

  #error(): StorageError {
    return new StorageError('Unavailable', 'the database is known to be unavailable', {
      refused: true,
      cause: this.#cause ?? new Error(`the database has answered nothing for ${KNOWN_AFTER_MS} ms`),
    });
  }

  /** A turn after the time has come, so that an answer that arrived while this process was suspended is read first. */
  #lookLater(question: Question, ms: number): void {
    const scheduler = this.#scheduler;
    this.#cancel = scheduler.after(ms, () => (this.#cancel = scheduler.after(0, () => void this.#look(question))));
  }

  async #look(question: Question): Promise<void> {
    const answers = await this.#answersOthers();
    if (this.#question !== question) return;
    this.#isSilent = !answers;
    if (answers) question.since = this.#scheduler.now();
    else this.#options.silent?.(this.#error());
    this.#lookLater(question, LOOK_MS);
  }

  async #answersOthers(): Promise<boolean> {
    const { answersOthers } = this.#options;
    if (!answersOthers) return false;
    const asking = answersOthers().then(
      () => true,
      () => false,
    );
    return Promise.race([asking, sleep(this.#scheduler, LOOK_MS).then(() => false)]);
  }
}
