import { DecodeError } from '../errors/decode-error.js';
import { JsonReader } from '../codec/json/json-reader.js';
import { badRequest, requestEntityTooLarge } from '../errors/status-errors.js';
import { type Lazy, LazyJson, ReadBudget } from './lazy-json.js';
import { oversizedNumber } from './oversized-number.js';
import { StrictFindings } from './strict-findings.js';

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
