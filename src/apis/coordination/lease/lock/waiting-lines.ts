/** Lets the requests of this process that wait for the same thing come one after the other, in order of arrival. */
export class WaitingLines {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs the work once everybody before has left. Rejects with the signal's reason if it aborts earlier. */
  async inTurn<T>(line: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(line) ?? Promise.resolve();
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    const end = before.then(() => left);
    this.#last.set(line, end);
    void end.then(() => {
      if (this.#last.get(line) === end) this.#last.delete(line);
    });
    try {
      await orAborted(before, signal);
      return await work();
    } finally {
      leave();
    }
  }
}

function orAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborts = (): void => reject(signal.reason as Error);
    if (signal.aborted) return aborts();
    signal.addEventListener('abort', aborts, { once: true });
    void promise.then(() => {
      signal.removeEventListener('abort', aborts);
      resolve();
    });
  });
}
