import type { JsonReader } from '../codec/json/json-reader.js';
import { ApiError } from '../errors/api-error.js';
import { invalid } from '../errors/field-error.js';
import { invalidObject } from '../errors/status-errors.js';
import { quote, shown } from '../go/go-string.js';

/**
 * The error for a patch that does not apply. Upstream drops the reason (apiserver pkg/endpoints/handlers/patch.go,
 * NewGenericServerResponse).
 */
export function patchDoesNotApply(cause?: unknown): ApiError {
  const message = 'the server rejected our request due to an error in our request';
  return new ApiError({ code: 422, reason: 'Invalid', message, details: {}, cause });
}

/** The error for a patch whose result does not match the type. `shown` is the result, or the patch if upstream shows that. */
export function patchResultInvalid(shown: string, problem: string): ApiError {
  return invalidObject({ group: '', kind: '' }, '', [invalid('patch', shown, problem)]);
}

const MAX_FINDINGS = 100;

/** The findings of strict decoding in the text of a patch: unique, at most a hundred. */
export class StrictFindings {
  /** By what was found and where, so that equal findings are formatted once. */
  readonly #texts = new Map<string, string>();

  get texts(): string[] {
    return [...this.#texts.values()];
  }

  /** Adds a finding about the field with this path, such as `spec.holder`. */
  add(what: 'unknown' | 'duplicate', path: string): void {
    const id = `${what} ${path}`;
    if (this.#texts.size < MAX_FINDINGS && !this.#texts.has(id)) this.#texts.set(id, `${what} field ${quote(path)}`);
  }

  /** Consumes the next value, of any shape, and records the duplicate keys in its objects. */
  addDuplicates(reader: JsonReader, path: string): void {
    const kind = reader.kind();
    if (kind === 'object') {
      const seen = new Set<string>();
      reader.eachMember((key) => {
        const at = memberPath(path, key);
        if (seen.has(key)) this.add('duplicate', at);
        seen.add(key);
        this.addDuplicates(reader, at);
      });
    } else if (kind === 'array') {
      reader.eachItem((index) => this.addDuplicates(reader, `${path}[${index}]`));
    } else {
      reader.skip();
    }
  }
}

/** The path of a member in strict decoding errors; of a long one the beginning, as each of its members has it too. */
export function memberPath(path: string, key: string): string {
  return shown(path === '' ? key : `${path}.${key}`);
}
