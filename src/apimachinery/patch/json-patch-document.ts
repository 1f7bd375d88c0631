import { JsonReader, endOfString } from '../codec/json/json-reader.js';
import { DecodeError } from '../errors/api-error.js';
import { badRequest, requestEntityTooLarge } from '../errors/status-errors.js';
import { goString, sortKeys } from '../go/go-string.js';
import { StrictFindings } from './patch-errors.js';

/** One operation. Members that are missing, null or of the wrong type are undefined, but a null `value` differs from a missing one. */
export interface JsonPatchOperation {
  op?: string;
  path?: string;
  from?: string;
  value?: Lazy;
}

/** A parsed JSON patch (RFC 6902). */
export interface JsonPatchDocument {
  readonly operations: readonly JsonPatchOperation[];
  readonly findings: readonly string[];
}

const MAX_OPERATIONS = 10_000;

/**
 * Decodes a JSON patch. Throws upstream's 400 or 413. In strict mode, a member of the wrong type is a 400 and findings are collected;
 * otherwise the operation does not apply (sigs.k8s.io/json does the former, evanphx/json-patch the latter).
 */
export function decodeJsonPatch(text: string, strict: boolean): JsonPatchDocument {
  try {
    const decoder = new Decoder(text, strict);
    const operations = decoder.decode();
    if (operations.length <= MAX_OPERATIONS) return { operations, findings: decoder.findings };
    throw requestEntityTooLarge(`The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`);
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(strict ? `error decoding patch: ${error.message}` : error.message);
    throw error;
  }
}

class Decoder {
  readonly #reader: JsonReader;
  readonly #strict: boolean;
  readonly #findings = new StrictFindings();
  readonly #budget = new ReadBudget();
  /** The first value of the wrong type, which is reported after everything has been read. */
  #problem: DecodeError | undefined;

  constructor(text: string, strict: boolean) {
    this.#reader = new JsonReader(text);
    this.#strict = strict;
  }

  get findings(): string[] {
    return this.#findings.texts.map((text) => `json patch ${text}`);
  }

  decode(): JsonPatchOperation[] {
    const operations: JsonPatchOperation[] = [];
    if (this.#accepts('array', this.#strict ? '[]handlers.jsonPatchOp' : 'jsonpatch.Patch')) {
      this.#reader.eachItem((index) => operations.push(this.#operation(index)));
    }
    if (this.#problem) throw this.#problem;
    return operations;
  }

  #operation(index: number): JsonPatchOperation {
    const operation: JsonPatchOperation = {};
    if (!this.#accepts('object', this.#strict ? 'handlers.jsonPatchOp' : 'jsonpatch.Operation')) return operation;
    const seen = new Set<string>();
    this.#reader.eachMember((key) => {
      const path = `[${index}].${key}`;
      if (key !== 'op' && key !== 'path' && key !== 'from' && key !== 'value') {
        this.#findings.add('unknown', path);
        this.#reader.skip();
        return;
      }
      if (seen.has(key)) this.#findings.add('duplicate', path);
      seen.add(key);
      if (key === 'value') operation.value = this.#value(path);
      else operation[key] = this.#text(key);
    });
    return operation;
  }

  #value(path: string): Lazy {
    const text = this.#reader.text();
    if (this.#strict) {
      this.#findings.addDuplicates(new JsonReader(text), path);
      const number = oversizedNumber(text);
      if (number !== undefined) this.#mismatch('Go struct field jsonPatchOp.value of type float64', `number ${number}`);
    }
    return LazyJson.of(text, this.#budget);
  }

  #text(key: string): string | undefined {
    const kind = this.#reader.kind();
    if (kind === 'string') return this.#reader.string();
    if (kind !== 'null' && this.#strict) this.#mismatch(`Go struct field jsonPatchOp.${key} of type string`);
    this.#reader.skip();
    return undefined;
  }

  /** Whether the next value is of the kind; otherwise it is skipped, silently if it is null. */
  #accepts(kind: 'array' | 'object', goType: string): boolean {
    if (this.#reader.kind() === kind) return true;
    if (!this.#reader.isNull()) this.#mismatch(`Go value of type ${goType}`);
    this.#reader.skip();
    return false;
  }

  #mismatch(target: string, found: string = this.#reader.kind()): void {
    this.#problem ??= new DecodeError(`json: cannot unmarshal ${found} into ${target}`);
  }
}

/** A JSON value; null is JSON's null. */
export type Lazy = LazyJson | null;

/**
 * Limit on the characters that the values of a document or a patch read or copy. Every level of nesting reads the text of those below it
 * again, and each operation of a patch may copy it. A patch of 3 MiB whose text is at the level of annotations reads three quarters of this.
 */
const MAX_READ = 12 * 1024 * 1024;

/** What the values of one document have read. */
class ReadBudget {
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

const MAY_BE_OVERSIZED = /[eE]|\d{309}/;
/** The text is valid JSON, so a run of these characters is one number. */
const NUMBER = /[-+.\deE]+/y;

/** The first number in a valid JSON text that exceeds float64, such as `1e400`. */
export function oversizedNumber(json: string): string | undefined {
  if (!MAY_BE_OVERSIZED.test(json)) return undefined;
  for (let at = 0; at < json.length; at++) {
    const char = json.charCodeAt(at);
    if (char === 34) at = endOfString(json, at);
    else if (char === 45 || (char >= 48 && char <= 57)) {
      NUMBER.lastIndex = at;
      const number = NUMBER.exec(json)?.[0] ?? '';
      if (!Number.isFinite(Number(number))) return number;
      at += number.length - 1;
    }
  }
  return undefined;
}
