import { quote } from '../../go/go-string.js';

const MAX_DEPTH = 10_000;

/**
 * Returns why bytes are not valid JSON, with the texts of Go's scanner (Go: encoding/json/scanner.go), which works byte by byte. Undefined
 * for valid JSON.
 */
export function syntaxError(body: Uint8Array): string | undefined {
  try {
    new Scanner(body).document();
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxProblem) return error.message;
    throw error;
  }
}

class SyntaxProblem extends Error {}

const code = (char: string) => char.charCodeAt(0);
const [QUOTE, BACKSLASH, COLON, COMMA, MINUS] = [code('"'), code('\\'), code(':'), code(','), code('-')];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [code('{'), code('}'), code('['), code(']')];
const SPACE = code(' ');
const ESCAPES = new Set([...'bfnrt\\/"'].map(code));

class Scanner {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Nesting is kept in an array, because it may be deeper than the call stack allows. */
  document(): void {
    const open: number[] = [];
    for (let more = this.#value(open); more;) more = open.length === 0 ? false : this.#afterValue(open);
    this.#space();
    if (this.#at < this.#bytes.length) this.#unexpected('after top-level value');
  }

  /** Consumes a scalar or the beginning of a container, up to the end of a value. Always returns true. */
  #value(open: number[]): boolean {
    for (;;) {
      const char = this.#space();
      if (char !== OPEN_OBJECT && char !== OPEN_ARRAY) {
        this.#scalar(char);
        return true;
      }
      if (open.length >= MAX_DEPTH) this.#unexpected('exceeded max depth');
      this.#at++;
      const next = this.#space();
      if (next === (char === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY)) {
        this.#at++;
        return true;
      }
      open.push(char);
      if (char === OPEN_OBJECT) this.#key();
    }
  }

  /** Continues after a value inside a container: with the next member, or with the end of the container, which again ends a value. */
  #afterValue(open: number[]): boolean {
    const inObject = open.at(-1) === OPEN_OBJECT;
    const char = this.#space();
    if (char === COMMA) {
      this.#at++;
      if (inObject) this.#key();
      return this.#value(open);
    }
    if (char !== (inObject ? CLOSE_OBJECT : CLOSE_ARRAY)) {
      this.#unexpected(inObject ? 'after object key:value pair' : 'after array element');
    }
    this.#at++;
    open.pop();
    return true;
  }

  #key(): void {
    if (this.#space() !== QUOTE) this.#unexpected('looking for beginning of object key string');
    this.#string();
    if (this.#space() !== COLON) this.#unexpected('after object key');
    this.#at++;
  }

  #scalar(char: number | undefined): void {
    if (char === QUOTE) this.#string();
    else if (char === MINUS || isDigit(char)) this.#number();
    else if (char === code('t')) this.#literal('true');
    else if (char === code('f')) this.#literal('false');
    else if (char === code('n')) this.#literal('null');
    else this.#unexpected('looking for beginning of value');
  }

  #literal(word: string): void {
    for (let i = 1; i < word.length; i++) {
      this.#at++;
      if (this.#bytes[this.#at] !== word.charCodeAt(i)) this.#broken(`in literal ${word} (expecting '${word[i]}')`);
    }
    this.#at++;
  }

  #string(): void {
    for (;;) {
      const char = this.#bytes[++this.#at];
      if (char === QUOTE) break;
      if (char === BACKSLASH) this.#escape();
      else if (char === undefined || char < 0x20) this.#unexpected('in string literal');
    }
    this.#at++;
  }

  #escape(): void {
    const char = this.#bytes[++this.#at];
    if (char === code('u')) {
      for (let i = 0; i < 4; i++) {
        const digit = this.#bytes[++this.#at];
        if (!isHexDigit(digit)) this.#broken('in \\u hexadecimal character escape');
      }
    } else if (char === undefined || !ESCAPES.has(char)) this.#broken('in string escape code');
  }

  #number(): void {
    if (this.#bytes[this.#at] === MINUS) this.#at++;
    if (this.#bytes[this.#at] === code('0')) this.#at++;
    else this.#digits('in numeric literal');
    if (this.#bytes[this.#at] === code('.')) {
      this.#at++;
      this.#digits('after decimal point in numeric literal');
    }
    const char = this.#bytes[this.#at];
    if (char === code('e') || char === code('E')) {
      const sign = this.#bytes[++this.#at];
      if (sign === MINUS || sign === code('+')) this.#at++;
      this.#digits('in exponent of numeric literal');
    }
  }

  #digits(context: string): void {
    if (!isDigit(this.#bytes[this.#at])) this.#broken(context);
    while (isDigit(this.#bytes[this.#at])) this.#at++;
  }

  #space(): number | undefined {
    for (;;) {
      const char = this.#bytes[this.#at];
      if (char !== 0x20 && char !== 0x0a && char !== 0x0d && char !== 0x09) return char;
      this.#at++;
    }
  }

  #unexpected(context: string): never {
    if (this.#at >= this.#bytes.length) throw new SyntaxProblem('unexpected end of JSON input');
    return this.#broken(context);
  }

  /** Within a token: Go puts a space after the end of the input, and names that where the token cannot have one (scanner.go eof). */
  #broken(context: string): never {
    throw new SyntaxProblem(`invalid character ${quoteByte(this.#bytes[this.#at] ?? SPACE)} ${context}`);
  }
}

function isDigit(char: number | undefined): boolean {
  return char !== undefined && char >= 0x30 && char <= 0x39;
}

function isHexDigit(char: number | undefined): boolean {
  return isDigit(char) || (char !== undefined && (char | 0x20) >= 0x61 && (char | 0x20) <= 0x66);
}

/** Formats a byte as Go does: in single quotes, as the code point with the same number. */
function quoteByte(byte: number): string {
  if (byte === code("'")) return "'\\''";
  if (byte === QUOTE) return "'\"'";
  return `'${quote(String.fromCharCode(byte)).slice(1, -1)}'`;
}
