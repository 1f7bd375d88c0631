import type { Logger } from 'pino';
import type { Scheduler } from '../../time/scheduler.js';

export interface DatabaseClockOptions {
  /** The database's clock, in milliseconds. */
  readonly read: () => Promise<number>;
  /** Called when the estimate turns out to have been wrong, as after a failover or a suspension of this machine. */
  readonly onStep?: () => void;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

const PERIOD_MS = 10_000;
/** A reading that took longer counts only if it proves the estimate wrong. */
const LONGEST_READING_MS = 100;
/** Less than this is no step. */
const STEP_MS = 20;

/** An estimate of the database's clock: this process's monotonic one, and the difference that was read last. */
export class DatabaseClock {
  readonly #options: DatabaseClockOptions;
  #difference: number | undefined;
  #cancel: (() => void) | undefined;
  #stopped = false;

  constructor(options: DatabaseClockOptions) {
    this.#options = options;
  }

  now(): number {
    return this.#options.scheduler.now() + (this.#difference ?? 0);
  }

  /** Resolves once the clock has been read, or after a failure. */
  async start(): Promise<void> {
    await this.#read();
    if (!this.#stopped) this.#cancel = this.#options.scheduler.after(this.#known ? PERIOD_MS : 1_000, () => void this.start());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  get #known(): boolean {
    return this.#difference !== undefined;
  }

  async #read(): Promise<void> {
    const { read, onStep, scheduler, logger } = this.#options;
    const asked = scheduler.now();
    try {
      const time = await read();
      const answered = scheduler.now();
      const [least, most, known] = [time - answered, time - asked, this.#difference];
      if (most - least > LONGEST_READING_MS && known !== undefined && known >= least && known <= most) return;
      this.#difference = (least + most) / 2;
      if (known === undefined || Math.abs(this.#difference - known) > STEP_MS) onStep?.();
    } catch (err) {
      logger.debug({ err }, "cannot read the database's clock; trying again");
    }
  }
}
