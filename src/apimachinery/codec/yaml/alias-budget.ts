import { DecodeError } from '../../errors/decode-error.js';

const RATIO = 0.99;
/** Maximum number of nodes in all, keys and those that come from aliases included. Here upstream goes on, with ever fewer aliases. */
const MAX_NODES = 10_000;
/** Maximum number of characters in all; only aliases lead to more than a body may have. */
const MAX_TEXT = 3 * 1024 * 1024;

/** go-yaml's protection against documents that multiply by aliases (decode.go, allowedAliasRatio), with limits on the nodes and texts in all. */
export class AliasBudget {
  #nodes = 0;
  #text = 0;
  #aliased = 0;
  #depth = 0;

  /** Called for every node before it is read, wherever it comes from, with the characters of its text. Throws beyond a limit. */
  count(characters = 0): void {
    this.#nodes++;
    this.#text += characters;
    if (this.#depth > 0) this.#aliased++;
    if (this.#aliased > 100 && this.#nodes > 1000 && this.#aliased / this.#nodes > RATIO) throw excessive();
    if (this.#text > MAX_TEXT) throw excessive();
    if (this.#nodes > MAX_NODES) throw this.#aliased > 100 ? excessive() : new DecodeError('yaml: document has too many nodes');
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

function excessive(): DecodeError {
  return new DecodeError('yaml: document contains excessive aliasing');
}
