import { percentDecode } from './percent-decode.js';

const NONE: readonly string[] = Object.freeze([]);

/**
 * Query parameters with the rules of Go's url.ParseQuery: the order of values is kept, `+` is a space, and a pair with a bad escape or a
 * semicolon is dropped without an error.
 */
export class Query {
  readonly #values = new Map<string, string[]>();

  constructor(raw: string) {
    if (raw === '') return;
    for (const pair of raw.split('&')) this.#add(pair);
  }

  /** Whether there are no parameters at all. */
  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** All values of a parameter, in order. */
  all(name: string): readonly string[] {
    return this.#values.get(name) ?? NONE;
  }

  /** The first value; further values of a scalar parameter are ignored. */
  first(name: string): string | undefined {
    return this.#values.get(name)?.[0];
  }

  #add(pair: string): void {
    if (pair === '' || pair.includes(';')) return;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    if (name === undefined || value === undefined) return;
    const values = this.#values.get(name);
    if (values) values.push(value);
    else this.#values.set(name, [value]);
  }
}

const EMPTY = new Query('');

/** Parses a raw query. Requests without a query share an empty instance. */
export function parseQuery(raw: string): Query {
  return raw === '' ? EMPTY : new Query(raw);
}

function decode(text: string): string | undefined {
  return percentDecode(text.includes('+') ? text.replaceAll('+', ' ') : text);
}
