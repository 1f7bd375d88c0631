import { Lexer } from 'yaml';
import { DecodeError } from '../../errors/decode-error.js';

/** The lexeme that precedes the text of a plain scalar. */
const PLAIN = '\x1f';
/** A dash, followed by the beginning of a text. */
const EMPTY_ITEM = `-${PLAIN}`;
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/g;
/** The error for a tab at the start of a token. */
const CANNOT_START = 'found character that cannot start any token';

/**
 * The lexemes of a YAML text as go-yaml v2 reads them, where the library differs: a `-` before the end of an item in a flow collection is a
 * text, `\/` is not an escape, escapes of surrogates are not characters, and in block context no line starts with a tab. Throws a
 * DecodeError with the texts of libyaml's scanner.
 */
export function* goYamlLexemes(text: string): Generator<string, void> {
  const scan = new LexemeScan();
  let dash = '';
  for (const lexeme of new Lexer().lex(text)) {
    // The library reads the dash as the beginning of a list with an empty item.
    if (dash === '-' && lexeme === PLAIN) {
      dash = EMPTY_ITEM;
      continue;
    }
    const isText = isTextBefore(lexeme, dash);
    yield* isText ? [PLAIN, '-'] : dash;
    const isSpent = isText && dash === EMPTY_ITEM;
    dash = '';
    if (isSpent) continue;
    scan.take(lexeme);
    if (lexeme === '-' && scan.flow > 0) dash = lexeme;
    else yield lexeme;
  }
  yield* dash;
}

/** Whether the preceding dash is a text, judged by what follows it. */
function isTextBefore(lexeme: string, dash: string): boolean {
  if (dash === '') return false;
  return dash === EMPTY_ITEM ? lexeme === '' : /^[,[\]{}]/.test(lexeme);
}

/** The position of lexemes in the text, and whether they are allowed there. */
class LexemeScan {
  /** Number of open flow collections. */
  flow = 0;
  #line = 0;
  #atLineStart = true;

  take(lexeme: string): void {
    if (this.#atLineStart && this.flow === 0 && /^[ \t]*\t[ \t]*$/.test(lexeme)) throw scanError(CANNOT_START, this.#line);
    if (lexeme.startsWith('"')) checkEscapes(lexeme, this.#line);
    if (lexeme === '[' || lexeme === '{') this.flow += 1;
    else if (lexeme === ']' || lexeme === '}') this.flow -= 1;
    this.#line += countLines(lexeme);
    if (!/^ *$/.test(lexeme)) this.#atLineStart = lexeme.endsWith('\n');
  }
}

function checkEscapes(quoted: string, line: number): void {
  if (!quoted.includes('\\')) return;
  for (const [, short, long, other] of quoted.matchAll(ESCAPE)) {
    if (other === '/') throw scanError('found unknown escape character', line);
    const code = parseInt(short ?? long ?? '0', 16);
    if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) throw scanError('found invalid Unicode character escape code', line);
  }
}

function scanError(problem: string, line: number): DecodeError {
  return new DecodeError(line === 0 ? `yaml: ${problem}` : `yaml: line ${line + 1}: ${problem}`);
}

function countLines(lexeme: string): number {
  let lines = 0;
  for (let at = lexeme.indexOf('\n'); at >= 0; at = lexeme.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
