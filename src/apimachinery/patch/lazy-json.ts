import { goString, sortKeys } from '../go/go-string.js';
import { JsonReader } from '../codec/json/json-reader.js';
import { badRequest } from '../errors/status-errors.js';

/** A JSON value; null is JSON's null. */
export type Lazy = LazyJson | null;

/**
 * Limit on the characters that the values of a document or a patch read or copy. Every level of nesting reads the text of those below it
 * again, and each operation of a patch may copy it. A patch of 3 MiB whose text is at the level of annotations reads three quarters of this.
 */
const MAX_READ = 12 * 1024 * 1024;

/** What the values of one document have read. */
export class ReadBudget {
  #left = MAX_READ;

  /** Throws the 400. */
  spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw badRequest('the patch is too long for its depth: it reads or copies too much text');
  }
}

/**
 * A JSON value that is parsed only as far as a patch accesses it (evanphx/json-patch v4 lazyNode). Parts that were not accessed are written
 * as received: numbers with all digits, keys in their order, duplicates included. Accessed objects have sorted keys.
 */
export class LazyJson {
  readonly kind: 'object' | 'array' | 'scalar';
  readonly #text: string;
  readonly #budget: ReadBudget;
  #members: Map<string, Lazy> | undefined;
  #items: Lazy[] | undefined;

  /** `text` is valid JSON other than null, without surrounding white space. */
  private constructor(text: string, budget: ReadBudget) {
    this.#text = text;
    this.#budget = budget;
    this.kind = text.startsWith('{') ? 'object' : text.startsWith('[') ? 'array' : 'scalar';
  }

  /** `text` is valid JSON without surrounding white space. Returns null for JSON null. `budget`: what values of other texts share with it. */
  static of(text: string, budget = new ReadBudget()): Lazy {
    return text === 'null' ? null : new LazyJson(text, budget);
  }

  /** The members of an object, which may be changed; undefined for other values. Throws the 400 of a document that reads too much. */
  get members(): Map<string, Lazy> | undefined {
    if (this.kind !== 'object') return undefined;
    if (!this.#members) {
      const members = new Map<string, Lazy>();
      const reader = this.#reader();
      reader.eachMember((key) => members.set(key, LazyJson.of(reader.text(), this.#budget)));
      this.#members = members;
    }
    return this.#members;
  }

  /** The items of an array, which may be changed; undefined for other values. Throws like `members`. */
  get items(): Lazy[] | undefined {
    if (this.kind !== 'array') return undefined;
    if (!this.#items) {
      const items: Lazy[] = [];
      const reader = this.#reader();
      reader.eachItem(() => items.push(LazyJson.of(reader.text(), this.#budget)));
      this.#items = items;
    }
    return this.#items;
  }

  /** The JSON text. Keys of objects whose members were read are sorted; values that were not read are unchanged. */
  toString(): string {
    const members = this.#members;
    if (members) {
      const keys = sortKeys([...members.keys()]);
      return `{${keys.map((key) => `${goString(key)}:${String(members.get(key))}`).join(',')}}`;
    }
    return this.#items ? `[${this.#items.map(String).join(',')}]` : this.#text;
  }

  /** An independent value with the same content. */
  copy(): LazyJson {
    const text = this.toString();
    this.#budget.spend(text.length);
    return new LazyJson(text, this.#budget);
  }

  #reader(): JsonReader {
    this.#budget.spend(this.#text.length);
    return new JsonReader(this.#text);
  }
}

/** Equality of JSON Patch's `test`: scalars are equal only if their texts are (15 is not 15.0). */
export function equalJson(a: Lazy, b: Lazy): boolean {
  if (a === null || b === null || a.kind !== b.kind) return a === b;
  if (a.members && b.members) return equalMembers(a.members, b.members);
  if (a.items && b.items) return equalItems(a.items, b.items);
  return a.toString() === b.toString();
}

function equalMembers(a: ReadonlyMap<string, Lazy>, b: ReadonlyMap<string, Lazy>): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) {
    const other = b.get(key);
    if (other === undefined || !equalJson(value, other)) return false;
  }
  return true;
}

function equalItems(a: readonly Lazy[], b: readonly Lazy[]): boolean {
  return a.length === b.length && a.every((item, index) => equalJson(item, b[index] ?? null));
}
