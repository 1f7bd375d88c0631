import { DecodeError } from '../../errors/decode-error.js';

const RATIO_LOW = 400_000;
const RATIO_HIGH = 4_000_000;

/** go-yaml's protection against documents that multiply by aliases (decode.go, allowedAliasRatio). */
export class AliasBudget {
  #nodes = 0;
  #aliased = 0;
  #depth = 0;

  /** Called for every node. Throws if too many of them come from aliases. */
  count(): void {
    this.#nodes++;
    if (this.#depth > 0) this.#aliased++;
    if (this.#aliased > 100 && this.#nodes > 1000 && this.#aliased / this.#nodes > allowedRatio(this.#nodes)) {
      throw new DecodeError('yaml: document contains excessive aliasing');
    }
  }

  /** Counts the nodes visited by `work` as coming from an alias. */
  inAlias<T>(work: () => T): T {
    this.#depth++;
    try {
      return work();
    } finally {
      this.#depth--;
    }
  }
}

function allowedRatio(nodes: number): number {
  if (nodes <= RATIO_LOW) return 0.99;
  if (nodes >= RATIO_HIGH) return 0.1;
  return 0.99 - 0.89 * ((nodes - RATIO_LOW) / (RATIO_HIGH - RATIO_LOW));
}
