/** Whatever can crash, stand still, or have a wrong clock: a server, a PostgreSQL, a client. */
export class SimulatedProcess {
  readonly name: string;
  /** How far its wall clock is from the true one, in milliseconds. */
  readonly skewMs: number;
  /** Nothing of it runs before this moment. */
  pausedUntil = 0;
  readonly #onKill = new Set<() => void>();
  #alive = true;

  constructor(name: string, skewMs = 0) {
    this.name = name;
    this.skewMs = skewMs;
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** What others learn of its end. The returned function calls it off. */
  onKill(learn: () => void): () => void {
    this.#onKill.add(learn);
    return () => this.#onKill.delete(learn);
  }

  /** Nothing that it has begun goes on. */
  kill(): void {
    if (!this.#alive) return;
    this.#alive = false;
    for (const learn of this.#onKill) learn();
  }
}
