import type { Logger } from 'pino';
import type { Scheduler } from '../../time/scheduler.js';
import { isRefusal } from '../storage-errors.js';
import { isDatabaseTrouble, isLoginRefused } from './session/pg-errors.js';

const PROBE_MS = 1_000;
const REMINDER_MS = 60_000;

type LogMethod = (...args: [unknown, ...unknown[]]) => void;

/** The first argument of a log call with fields. */
interface Fields {
  readonly err?: unknown;
}

/**
 * Logs an outage of the database once at its beginning, once a minute while it lasts and when a login is refused, and once at its end. Log lines whose error is such an
 * outage start one, and are themselves logged only at level debug. Requests are refused by what they need (storage-errors.ts), not by this.
 *
 *     well ── a line with such an error ──► outage ── a probe succeeds, and no such line in the second before ──► well
 */
export class Outage {
  readonly #logger: Logger;
  readonly #scheduler: Scheduler;
  #probe: (() => Promise<void>) | undefined;
  #stopped = false;
  /** Lines logged since the stop. */
  readonly #closing = new Set<unknown>();
  #begun: number | undefined;
  #reminded = 0;
  #failed = -Infinity;
  /** Number of suppressed lines. */
  #count = 0;
  #reason = '';
  /** The last refused login that was logged; a new one is logged at once, because it needs an operator. */
  #refusal = '';
  #cancel: () => void = () => undefined;

  constructor(logger: Logger, scheduler: Scheduler) {
    this.#logger = logger;
    this.#scheduler = scheduler;
  }

  /** Starts; until then, all lines are logged unchanged. `probe` rejects while the database does not work. */
  start(probe: () => Promise<void>): void {
    this.#probe = probe;
  }

  /**
   * Ends the probes. What fails from now on, while the server stops, is logged once for each message, and not at all during an outage that
   * has been reported.
   */
  stop(): void {
    this.#probe = undefined;
    this.#stopped = true;
    this.#cancel();
  }

  /** Wraps a logger so that lines explained by the outage are suppressed. */
  quieting(logger: Logger): Logger {
    const quiet = logger.child({});
    for (const level of ['warn', 'error'] as const) {
      const log: LogMethod = quiet[level].bind(quiet);
      quiet[level] = (...args: [unknown, ...unknown[]]) => {
        if (this.#explains(args[0] as Fields | string, args[1])) quiet.debug(...(args as [object]));
        else log(...args);
      };
    }
    return quiet;
  }

  #explains(fields: Fields | string, message: unknown): boolean {
    if (typeof fields !== 'object' || !isDatabaseTrouble(fields.err)) return false;
    if (this.#stopped) return this.#isKnown(message);
    if (!this.#probe) return false;
    this.#count += 1;
    // It follows from failures that were seen here before, and says nothing about the database now.
    if (isRefusal(fields.err)) return true;
    this.#failed = this.#scheduler.now();
    this.#reason = reasonOf(fields.err);
    if (this.#begun === undefined) this.#begin(this.#failed);
    return true;
  }

  #isKnown(message: unknown): boolean {
    const known = this.#begun !== undefined || this.#closing.has(message);
    this.#closing.add(message);
    return known;
  }

  #begin(now: number): void {
    this.#begun = this.#reminded = now;
    this.#refusal = '';
    this.#count = 0;
    this.#logger.warn(
      { reason: this.#reason },
      'the database is unavailable: requests that need it wait, and after three seconds get 503 at once until it is back',
    );
    this.#probeLater();
  }

  #probeLater(): void {
    this.#cancel = this.#scheduler.after(PROBE_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    let refused = false;
    const probed = await this.#probe?.().then(
      () => true,
      (error: unknown) => {
        this.#reason = reasonOf(error);
        refused = isLoginRefused(error);
        return false;
      },
    );
    if (!this.#probe || this.#begun === undefined) return;
    const now = this.#scheduler.now();
    const told = { seconds: Math.round((now - this.#begun) / 1000), failures: this.#count };
    if (probed && now - this.#failed >= PROBE_MS) {
      this.#begun = undefined;
      this.#logger.info(told, 'the database is available again');
      return;
    }
    const isNewRefusal = refused && this.#reason !== this.#refusal;
    if (now - this.#reminded >= REMINDER_MS || isNewRefusal) {
      if (refused) this.#refusal = this.#reason;
      this.#reminded = now;
      this.#logger.warn({ reason: this.#reason, ...told }, 'the database is still unavailable');
    }
    this.#probeLater();
  }
}

/** The root cause in one line. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return (error.message || ((error as NodeJS.ErrnoException).code ?? error.name)).replace(/\s*\n\s*/g, ' ');
}
