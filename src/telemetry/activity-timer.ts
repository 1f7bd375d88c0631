/**
 * An interval that runs only while there is something to look at, so that an idle process does not wake up for it. `look` is called once a
 * period after `start`, and says whether to go on; `start` while it runs does nothing. It keeps no process alive.
 */
export class ActivityTimer {
  readonly #periodMs: number;
  readonly #look: () => boolean;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(periodMs: number, look: () => boolean) {
    this.#periodMs = periodMs;
    this.#look = look;
  }

  /** Answers whether it was stopped. */
  start(): boolean {
    if (this.#timer || this.#closed) return false;
    this.#timer = setInterval(() => {
      if (!this.#look()) this.#stop();
    }, this.#periodMs);
    this.#timer.unref();
    return true;
  }

  close(): void {
    this.#closed = true;
    this.#stop();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
