/** A loop that acts as a client of the registry. It starts once and stops once. */
export interface Controller {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Controllers that start and stop together, any number of times; each start creates new ones. */
export class ControllerGroup {
  readonly #factories: readonly (() => Controller)[];
  #running: readonly Controller[] = [];

  constructor(factories: readonly (() => Controller)[]) {
    this.#factories = factories;
  }

  get isEmpty(): boolean {
    return this.#factories.length === 0;
  }

  async start(): Promise<void> {
    this.#running = this.#factories.map((create) => create());
    await Promise.all(this.#running.map((controller) => controller.start()));
  }

  async stop(): Promise<void> {
    const stopping = this.#running;
    this.#running = [];
    await Promise.all(stopping.map((controller) => controller.stop()));
  }
}
