import { DecodeError } from '../../errors/api-error.js';

const WORD = /[-+.0-9a-zA-Z]*/y;

/** Go allows 10,000 levels, but values of any type need no more than this, and recursive walks must not exhaust the stack. */
const MAX_RAW_DEPTH = 1000;

/** The kind of a JSON value, as named in encoding/json's type errors. */
export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'bool' | 'null';

/** Reads text that is known to be valid JSON, value by value, in document order. */
export class JsonReader {
  readonly #text: string;
  #at = 0;
  /** Nesting depth of the last value. */
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The kind of the next value. */
  kind(): JsonKind {
    switch (this.#peek()) {
      case '{':
        return 'object';
      case '[':
        return 'array';
      case '"':
        return 'string';
      case 't':
      case 'f':
        return 'bool';
      case 'n':
        return 'null';
      default:
        return 'number';
    }
  }

  /** Whether the next value is null. Consumes nothing. */
  isNull(): boolean {
    return this.#peek() === 'n';
  }

  /** Consumes a string: unescaped, with lone surrogates replaced. */
  string(): string {
    return (JSON.parse(this.#take()) as string).toWellFormed();
  }

  /** Consumes a number, boolean or null, as written. */
  literal(): string {
    return this.#take();
  }

  /** Consumes any value, as written. */
  text(): string {
    return this.#take();
  }

  /** Consumes any value, parsed by JSON.parse. Throws a DecodeError if it is nested too deeply. */
  raw(): unknown {
    const text = this.#take();
    if (this.#depth > MAX_RAW_DEPTH) throw new DecodeError('exceeded max depth');
    return JSON.parse(text);
  }

  /** Consumes any value. */
  skip(): void {
    this.#take();
  }

  /** Consumes an object. The callback is called for every member and must consume its value. */
  eachMember(each: (key: string) => void): void {
    this.#peek();
    this.#at++;
    if (this.#peek() === '}') {
      this.#at++;
      return;
    }
    do {
      this.#peek();
      const key = this.string();
      this.#peek();
      this.#at++;
      each(key);
    } while (this.#next());
  }

  /** Consumes an array. The callback is called for every item and must consume it. */
  eachItem(each: (index: number) => void): void {
    this.#peek();
    this.#at++;
    if (this.#peek() === ']') {
      this.#at++;
      return;
    }
    let index = 0;
    do each(index++);
    while (this.#next());
  }

  /** Consumes a comma or the end of the container; returns whether another element follows. */
  #next(): boolean {
    const char = this.#peek();
    this.#at++;
    return char === ',';
  }

  /** The next character other than white space. */
  #peek(): string {
    for (;;) {
      const char = this.#text[this.#at] ?? '';
      if (char !== ' ' && char !== '\n' && char !== '\r' && char !== '\t') return char;
      this.#at++;
    }
  }

  /** Consumes the next value and returns its text. Not recursive, because nesting may be deep. */
  #take(): string {
    const first = this.#peek();
    const start = this.#at;
    this.#depth = 0;
    if (first === '"') this.#at = endOfString(this.#text, start) + 1;
    else if (first !== '{' && first !== '[') this.#at = this.#endOfWord(start);
    else this.#at = this.#endOfContainer(start);
    return this.#text.slice(start, this.#at);
  }

  /** The end of a number or literal. */
  #endOfWord(start: number): number {
    WORD.lastIndex = start;
    WORD.test(this.#text);
    return WORD.lastIndex;
  }

  #endOfContainer(start: number): number {
    let depth = 0;
    let at = start;
    do {
      const char = this.#text[at];
      if (char === '"') {
        at = endOfString(this.#text, at) + 1;
        continue;
      }
      if (char === '{' || char === '[') this.#depth = Math.max(this.#depth, ++depth);
      else if (char === '}' || char === ']') depth--;
      at++;
    } while (depth > 0);
    return at;
  }
}

const BACKSLASH = 0x5c;

/** Index of the quote that ends the string whose opening quote is at `start`. The text is valid JSON. */
export function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}
