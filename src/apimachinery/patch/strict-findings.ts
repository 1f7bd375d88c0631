import type { JsonReader } from '../codec/json/json-reader.js';
import { quote } from '../go/quote.js';

const MAX_FINDINGS = 100;

/** The findings of strict decoding in the text of a patch: unique, at most a hundred. */
export class StrictFindings {
  readonly #texts = new Set<string>();

  get texts(): string[] {
    return [...this.#texts];
  }

  /** Adds a finding about the field with this path, such as `spec.holder`. */
  add(what: 'unknown' | 'duplicate', path: string): void {
    if (this.#texts.size < MAX_FINDINGS) this.#texts.add(`${what} field ${quote(path)}`);
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

/** The path of a member in strict decoding errors. */
export function memberPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
