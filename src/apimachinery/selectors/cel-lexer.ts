import { MAX_SHARD_TOKENS, selectorTooLong } from './selector-limits.js';

/** A token of a CEL expression. Names and literals have a value; other tokens only have their text. */
export type CelToken =
  | { readonly kind: 'name' | 'symbol' | 'end'; readonly text: string }
  | { readonly kind: 'literal'; readonly text: string; readonly goType: string; readonly string?: string };

/** An invalid CEL expression; the message is that of a syntax error. */
export class CelSyntaxError extends Error {
  override readonly name = 'CelSyntaxError';
}

// eslint-disable-next-line security/detect-unsafe-regex -- nothing follows the repetition, so it never goes back
const BLANK = /(?:[\t \r\n\f]+|\/\/[^\n]*)*/y;
// eslint-disable-next-line security/detect-unsafe-regex -- repetitions stand side by side, none in another
const NUMBER = /(0x[0-9a-fA-F]+[uU]?)|((?:[0-9]+\.[0-9]+|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)|([0-9]+[uU]?)/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const SYMBOL = /&&|\|\||==|!=|<=|>=|[-+*/%<>!?:.,()[\]{}]/y;

const ESCAPE = String.raw`\\(?:[abfnrtv"'\\?\x60]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})`;
// eslint-disable-next-line security/detect-non-literal-regexp -- made of the constants above
const STRING = new RegExp(
  [
    String.raw`([bB]?)([rR])(?:"""([^]*?)"""|'''([^]*?)'''|"([^"\n\r]*)"|'([^'\n\r]*)')`,
    String.raw`([bB]?)(?:"""((?:${ESCAPE}|[^\\])*?)"""|'''((?:${ESCAPE}|[^\\])*?)'''`,
    String.raw`"((?:${ESCAPE}|[^\\"\n\r])*)"|'((?:${ESCAPE}|[^\\'\n\r])*)')`,
  ].join('|'),
  'y',
);

const CONSTANTS: ReadonlyMap<string, string> = new Map(Object.entries({ true: 'bool', false: 'bool', null: 'structpb.NullValue' }));

/** Splits an expression into tokens; the last one is `end`. Throws a CelSyntaxError, and the 400 for too many tokens. */
export function celTokens(expression: string): CelToken[] {
  const tokens: CelToken[] = [];
  let position = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position;
    const found = pattern.exec(expression);
    if (found) position = pattern.lastIndex;
    return found;
  };
  for (;;) {
    take(BLANK);
    if (position === expression.length) return [...tokens, { kind: 'end', text: '<EOF>' }];
    const token = stringToken(take(STRING)) ?? numberToken(take(NUMBER)) ?? nameToken(take(NAME)) ?? symbolToken(take(SYMBOL));
    if (!token) throw new CelSyntaxError(`Syntax error: token recognition error at: '${expression.slice(position, position + 1)}'`);
    if (tokens.push(token) > MAX_SHARD_TOKENS) throw selectorTooLong(MAX_SHARD_TOKENS, 'tokens');
  }
}

function stringToken(found: RegExpExecArray | null): CelToken | undefined {
  if (!found) return undefined;
  const [text, rawBytes, raw, raw1, raw2, raw3, raw4, bytes, text1, text2, text3, text4] = found;
  const goType = rawBytes || bytes ? '[]uint8' : 'string';
  const content = raw ? (raw1 ?? raw2 ?? raw3 ?? raw4) : unescape(text1 ?? text2 ?? text3 ?? text4 ?? '');
  return { kind: 'literal', text, goType, string: goType === 'string' ? content : undefined };
}

function numberToken(found: RegExpExecArray | null): CelToken | undefined {
  if (!found) return undefined;
  const [text, , float] = found;
  return { kind: 'literal', text, goType: float !== undefined ? 'float64' : /u$/i.test(text) ? 'uint64' : 'int64' };
}

function nameToken(found: RegExpExecArray | null): CelToken | undefined {
  if (!found) return undefined;
  const [text] = found;
  if (text === 'in') return { kind: 'symbol', text };
  const goType = CONSTANTS.get(text);
  return goType === undefined ? { kind: 'name', text } : { kind: 'literal', text, goType };
}

function symbolToken(found: RegExpExecArray | null): CelToken | undefined {
  return found ? { kind: 'symbol', text: found[0] } : undefined;
}

const NAMED: ReadonlyMap<string, string> = new Map(Object.entries({ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }));

function unescape(text: string): string {
  return text.replace(/\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([^]))/g, (...found: string[]) => {
    const [, byte, short, long, octal, char = ''] = found;
    const hex = byte ?? short ?? long;
    if (hex !== undefined) return codePoint(parseInt(hex, 16));
    return octal === undefined ? (NAMED.get(char) ?? char) : codePoint(parseInt(octal, 8));
  });
}

function codePoint(code: number): string {
  if (code > 0x10ffff) throw new CelSyntaxError('Syntax error: invalid unicode code point');
  return String.fromCodePoint(code);
}
