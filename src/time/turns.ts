/** Work in progress of one owner, and what waits for it, in the order in which it came. */
interface Queue {
  running: number;
  readonly waiting: Set<() => void>;
}

/**
 * Lets a few pieces of work of each owner run at once; the others wait for as long as their signal allows, and are forgotten once it is aborted.
 */
export class Turns {
  readonly #atOnce: number;
  readonly #queues = new Map<string, Queue>();

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** How much of an owner's work waits. */
  waiting(owner = ''): number {
    return this.#queues.get(owner)?.waiting.size ?? 0;
  }

  /** Whether work of an owner would begin at once. */
  isFree(owner = ''): boolean {
    return (this.#queues.get(owner)?.running ?? 0) < this.#atOnce;
  }

  /** Runs the work in its turn. Rejects with the signal's reason if that comes first. */
  async take<T>(work: () => Promise<T>, { owner = '', signal }: { owner?: string; signal?: AbortSignal | undefined } = {}): Promise<T> {
    signal?.throwIfAborted();
    const queue = this.#queues.get(owner) ?? { running: 0, waiting: new Set<() => void>() };
    this.#queues.set(owner, queue);
    if (queue.running < this.#atOnce) queue.running++;
    else await turnOf(queue, signal);
    try {
      return await work();
    } finally {
      this.#passOn(owner, queue);
    }
  }

  /** The next one takes over the place. */
  #passOn(owner: string, queue: Queue): void {
    const [next] = queue.waiting;
    if (next) {
      queue.waiting.delete(next);
      next();
    } else if (--queue.running === 0) this.#queues.delete(owner);
  }
}

function turnOf({ waiting }: Queue, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    const leave = () => {
      waiting.delete(begin);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', leave, { once: true });
    waiting.add(begin);
  });
}
