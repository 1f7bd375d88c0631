/** What has been started, to be stopped in reverse. */
export class Closers {
  readonly #stack: (() => Promise<void> | void)[] = [];

  push(close: () => Promise<void> | void): void {
    this.#stack.push(close);
  }

  /** Stops everything, the last started first, one after the other. One that fails does not keep the others from stopping. */
  async closeAll(onError: (error: unknown) => void): Promise<void> {
    for (let close = this.#stack.pop(); close !== undefined; close = this.#stack.pop()) {
      try {
        await close();
      } catch (error) {
        onError(error);
      }
    }
  }
}
