import type { Logger } from 'pino';
import type { Scheduler } from '../scheduler.js';
import { isDatabaseTrouble } from './session/pg-errors.js';

const PROBE_MS = 1_000;
const REMINDER_MS = 60_000;

type LogMethod = (...args: [unknown, ...unknown[]]) => void;

/** The arguments of a line with fields. */
interface Fields {
  readonly err?: unknown;
}

/**
 * Tells of trouble with the database once when it begins, once a minute while it lasts, and once when it is over. Lines of others whose
 * error is such trouble begin it, and are logged at level debug alone.
 *
 *     well ── a line with such an error ──► trouble ── a probe succeeds, and no such line in the second before ──► well
 */
export class Outage {
  readonly #logger: Logger;
  readonly #scheduler: Scheduler;
  #probe: (() => Promise<void>) | undefined;
  #begun: number | undefined;
  #reminded = 0;
  #failed = -Infinity;
  /** Lines that were kept back. */
  #count = 0;
  #reason = '';
  #cancel: () => void = () => undefined;

  constructor(logger: Logger, scheduler: Scheduler) {
    this.#logger = logger;
    this.#scheduler = scheduler;
  }

  /** From now on; before, all lines are logged as they are. `probe` rejects while the database does not do what it has to. */
  start(probe: () => Promise<void>): void {
    this.#probe = probe;
  }

  stop(): void {
    this.#probe = undefined;
    this.#cancel();
  }

  /** The same logger but for lines that trouble explains. */
  quieting(logger: Logger): Logger {
    const quiet = logger.child({});
    for (const level of ['warn', 'error'] as const) {
      const log: LogMethod = quiet[level].bind(quiet);
      quiet[level] = (...args: [unknown, ...unknown[]]) => {
        if (this.#explains(args[0] as Fields | string)) quiet.debug(...(args as [object]));
        else log(...args);
      };
    }
    return quiet;
  }

  #explains(fields: Fields | string): boolean {
    if (!this.#probe || typeof fields !== 'object' || !isDatabaseTrouble(fields.err)) return false;
    this.#failed = this.#scheduler.now();
    this.#reason = reasonOf(fields.err);
    this.#count += 1;
    if (this.#begun === undefined) this.#begin(this.#failed);
    return true;
  }

  #begin(now: number): void {
    this.#begun = this.#reminded = now;
    this.#count = 0;
    this.#logger.warn({ reason: this.#reason }, 'trouble with the database: what needs it waits or is answered 503 until it is over');
    this.#probeLater();
  }

  #probeLater(): void {
    this.#cancel = this.#scheduler.after(PROBE_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const probed = await this.#probe?.().then(
      () => true,
      (error: unknown) => {
        this.#reason = reasonOf(error);
        return false;
      },
    );
    if (!this.#probe || this.#begun === undefined) return;
    const now = this.#scheduler.now();
    const told = { seconds: Math.round((now - this.#begun) / 1000), failures: this.#count };
    if (probed && now - this.#failed >= PROBE_MS) {
      this.#begun = undefined;
      this.#logger.warn(told, 'the database works again');
      return;
    }
    if (now - this.#reminded >= REMINDER_MS) {
      this.#reminded = now;
      this.#logger.warn({ reason: this.#reason, ...told }, 'the trouble with the database goes on');
    }
    this.#probeLater();
  }
}

/** What is at the bottom of it, in one line. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return (error.message || ((error as NodeJS.ErrnoException).code ?? error.name)).replace(/\s*\n\s*/g, ' ');
}
