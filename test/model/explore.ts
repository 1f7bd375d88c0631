import { createHash } from 'node:crypto';
import { type ModelOptions, LineageModel, Violation } from './lineage-model.js';
import { type State, cloneState, initialState } from './lineage-state.js';

export interface Exploration {
  readonly states: number;
  readonly steps: number;
  /** A violation, and the actions that lead to it. */
  readonly finding?: { readonly problem: string; readonly trace: readonly string[] };
}

/** Actions of servers and clients before any fault. */
const WARM_UP = ['server 0 reads the feed', 'server 1 reads the feed', 'client 0 watches server 0'];

/** Explores every order of `depth` actions, starting from two servers with full caches and a client that watches the first one. */
export function explore(options: ModelOptions, depth: number): Exploration {
  const explorer = new Explorer(options);
  const start = initialState(2, 1);
  for (const name of WARM_UP) explorer.step(start, name);
  return explorer.run(start, depth);
}

class Explorer {
  readonly #options: ModelOptions;
  /** Keyed by state: the number of remaining actions when it was explored. */
  readonly #seen = new Map<string, number>();
  readonly #trace: string[] = [];
  #steps = 0;

  constructor(options: ModelOptions) {
    this.#options = options;
  }

  step(state: State, name: string): void {
    const model = new LineageModel(state, this.#options);
    model
      .actions()
      .find((action) => action.name === name)
      ?.run(model);
  }

  run(start: State, depth: number): Exploration {
    try {
      this.#visit(start, depth);
      return { states: this.#seen.size, steps: this.#steps };
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      return { states: this.#seen.size, steps: this.#steps, finding: { problem: error.message, trace: this.#trace } };
    }
  }

  #visit(state: State, left: number): void {
    const key = createHash('md5').update(JSON.stringify(state)).digest('base64');
    if ((this.#seen.get(key) ?? -1) >= left) return;
    this.#seen.set(key, left);
    if (left === 0) return;
    for (const { name, run } of new LineageModel(state, this.#options).actions()) {
      const model = new LineageModel(cloneState(state), this.#options);
      this.#steps++;
      this.#trace.push(name);
      run(model);
      this.#visit(model.state, left - 1);
      this.#trace.pop();
    }
  }
}
