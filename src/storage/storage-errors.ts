import { MAX_VALUES, countValues } from '../apimachinery/codec/limits/body-limits.js';
import { type Scheduler, sleep } from '../time/scheduler.js';
import type { ObjectValue } from './object-store.js';

/** The closed set of storage errors. Only registry/errors/interpret-storage-error.ts translates them to API errors. */
export type StorageErrorCode =
  | 'Exists'
  | 'NotFound'
  | 'Conflict'
  | 'ContainerMissing'
  | 'ContainerTerminating'
  | 'TooLarge'
  | 'QuotaExceeded'
  | 'Compacted'
  | 'TooLargeRevision'
  /** Too many reads of earlier revisions or of terms are waiting. */
  | 'TooManyReads'
  /** A list would look at more objects than one may. */
  | 'TooBroad'
  /** PostgreSQL has no such value, as text with U+0000: the request is at fault, not the database. */
  | 'BadData'
  | 'Abandoned'
  /** The write may or may not have been committed. */
  | 'OutcomeUnknown'
  /** The store is unavailable; a write was certainly not committed. */
  | 'Unavailable';

/** Details of some errors. */
export interface StorageErrorDetails {
  /** TooLargeRevision, Compacted: the requested revision. */
  readonly requested?: bigint;
  /** TooLargeRevision: the newest revision; Compacted: the oldest available one. */
  readonly current?: number;
  /** QuotaExceeded, and TooLarge if it is not the one of bytes: which limit, in words for the client. */
  readonly limit?: string;
  /** Unavailable: nothing was tried, because the database was known to be unavailable. */
  readonly refused?: boolean;
  readonly cause?: unknown;
}

/** An error of storage. `message` is for logs, not for clients. */
export class StorageError extends Error {
  constructor(
    readonly code: StorageErrorCode,
    message: string,
    readonly details: StorageErrorDetails = {},
  ) {
    super(message, { cause: details.cause });
    this.name = 'StorageError';
  }
}

/** Whether an error is a StorageError, with this code if one is given. */
export function isStorageError(error: unknown, code?: StorageErrorCode): error is StorageError {
  return error instanceof StorageError && (code === undefined || error.code === code);
}

/** Whether the error, or one of its causes, is a refusal without an attempt. */
export function isRefusal(error: unknown): boolean {
  if (isStorageError(error) && error.details.refused) return true;
  return error instanceof Error && isRefusal(error.cause);
}

/** The history at `requested` has been compacted; `oldest` is the oldest available revision. */
export function compactedError(requested: bigint | number, oldest: number): StorageError {
  return new StorageError('Compacted', `revision ${requested} is compacted, the oldest is ${oldest}`, {
    requested: BigInt(requested),
    current: oldest,
  });
}

/** `requested` lies in the future. */
export function tooLargeRevisionError(requested: bigint, current: number): StorageError {
  return new StorageError('TooLargeRevision', `revision ${requested} is in the future, the newest is ${current}`, {
    requested,
    current,
  });
}

/** The error of a write whose request has ended. It certainly had no effect. */
export function abandonedError(what: string): StorageError {
  return new StorageError('Abandoned', `the deadline for writing ${what} has passed`);
}

/** The largest encoded object that a store accepts. */
export const MAX_OBJECT_BYTES = 1.5 * 1024 * 1024;

/** How long a read that asks for a minimum revision waits for it (upstream: storage/cacher blockTimeout). */
export const MINIMUM_REVISION_WAIT_MS = 3_000;

/** Limit on delivered but unsent items of a watcher, in bytes. */
export const WATCH_BACKLOG_BYTES = 16 * 1024 * 1024;

/** What a mark for deletion adds, so that the largest object can be marked. */
const VALUES_OF_A_MARK = 100;

/** The error for an object that is too large to be stored. */
export function sizeRefusal({ data, terminating }: ObjectValue): StorageError | undefined {
  // A value takes at least two characters, and a UTF-16 unit at most three bytes, so most objects need not be measured.
  if (data.length <= 2 * MAX_VALUES) return undefined;
  const bytes = Buffer.from(data);
  if (bytes.length > MAX_OBJECT_BYTES) {
    return new StorageError('TooLarge', `an object of ${bytes.length} bytes exceeds the limit of ${MAX_OBJECT_BYTES}`);
  }
  const limit = MAX_VALUES + (terminating ? VALUES_OF_A_MARK : 0);
  if (countValues(bytes, limit) <= limit) return undefined;
  const limitText = `${limit} values, those of managedFields included`;
  return new StorageError('TooLarge', `an object has more than ${limitText}`, { limit: limitText });
}

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
