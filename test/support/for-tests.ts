import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';

/** Is ended by what it has of these. */
type Started = AsyncDisposable | Disposable | { stop(): unknown } | { close(): unknown };

/** What runs for tests now, the oldest first. */
const running: Started[] = [];

/** Starts something before the tests of a file or block, and ends it after them. What is started later is ended earlier. */
export function forAllTests<T extends Started>(start: () => T | Promise<T>, timeoutMs?: number): T {
  const own = new Own(start);
  beforeAll(() => own.begin(), timeoutMs);
  afterAll(() => own.end());
  return own.standIn;
}

/** The same for each test of a file or block. */
export function forEachTest<T extends Started>(start: () => T | Promise<T>): T {
  const own = new Own(start);
  beforeEach(() => own.begin());
  afterEach(() => own.end());
  return own.standIn;
}

/** Does something after the tests of a file or block, before what was started earlier is ended. */
export function afterAllTests(end: () => unknown): void {
  forAllTests(() => ({ [Symbol.asyncDispose]: async () => void (await end()) }));
}

/** The same after each test of a file or block. */
export function afterEachTest(end: () => unknown): void {
  forEachTest(() => ({ [Symbol.asyncDispose]: async () => void (await end()) }));
}

class Own<T extends Started> {
  readonly #start: () => T | Promise<T>;
  #started: T | undefined;

  constructor(start: () => T | Promise<T>) {
    this.#start = start;
  }

  /** Is whatever runs: tests name it before it is started. */
  get standIn(): T {
    return new Proxy({} as T, {
      get: (_, name) => {
        const value: unknown = Reflect.get(this.#running(name), name);
        return typeof value === 'function' ? (value.bind(this.#started) as unknown) : value;
      },
      set: (_, name, value) => Reflect.set(this.#running(name), name, value),
    });
  }

  async begin(): Promise<void> {
    this.#started = await this.#start();
    running.push(this.#started);
  }

  async end(): Promise<void> {
    while (this.#started && running.includes(this.#started)) await endOf(running.pop());
    this.#started = undefined;
  }

  #running(name: string | symbol): T {
    if (!this.#started) throw new Error(`a test needs ${String(name)} of what does not run`);
    return this.#started;
  }
}

async function endOf(started: Started | undefined): Promise<void> {
  if (!started) return;
  if (Symbol.asyncDispose in started) await started[Symbol.asyncDispose]();
  else if (Symbol.dispose in started) started[Symbol.dispose]();
  else if ('stop' in started) await started.stop();
  else await started.close();
}
