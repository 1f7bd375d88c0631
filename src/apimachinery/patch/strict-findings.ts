import type { JsonReader } from '../codec/json/json-reader.js';
import { quote } from '../go/quote.js';

const MAX_FINDINGS = 100;

/** What a strict decoder says about a patch's own text: each finding once, the first hundred of them. */
export class StrictFindings {
  readonly #texts = new Set<string>();

  get texts(): string[] {
    return [...this.#texts];
  }

  add(what: 'unknown' | 'duplicate', path: string): void {
    if (this.#texts.size < MAX_FINDINGS) this.#texts.add(`${what} field ${quote(path)}`);
  }

  /** Passes the next value of any shape, and notes the keys that an object in it has twice. */
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

/** The path of a member, as strict decoding errors show it. */
export function memberPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
