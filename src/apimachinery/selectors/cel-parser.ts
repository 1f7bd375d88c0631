import { MAX_SHARD_TOKENS, selectorTooLong } from './value-condition.js';

/** The nodes of a CEL expression that shard selectors distinguish. Operators are calls (`_||_`, `!_`, `_[_]`). */
export type CelNode =
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly CelNode[] }
  | { readonly kind: 'ident'; readonly name: string }
  | { readonly kind: 'select'; readonly operand: CelNode; readonly field: string }
  | { readonly kind: 'literal'; readonly goType: string; readonly string?: string }
  | { readonly kind: 'list' | 'map' };

/** Binary operators, lowest precedence first; all are left-associative. */
const LEVELS: readonly (readonly string[])[] = [['||'], ['&&'], ['<', '<=', '>=', '>', '==', '!=', 'in'], ['+', '-'], ['*', '/', '%']];
const MAX_DEPTH = 250;

/** A parser for one expression: the CEL grammar without struct literals and optional syntax. Throws CelSyntaxError. */
export class CelParser {
  readonly #tokens: readonly CelToken[];
  #position = 0;
  #depth = 0;

  constructor(expression: string) {
    this.#tokens = celTokens(expression);
  }

  /** Parses the whole expression. */
  parse(): CelNode {
    const node = this.#expression();
    if (this.#token.kind !== 'end') throw this.#unexpected();
    return node;
  }

  #expression(): CelNode {
    if (++this.#depth > MAX_DEPTH) throw new CelSyntaxError(`max recursion depth exceeded: ${MAX_DEPTH}`);
    const condition = this.#binary(0);
    if (!this.#accept('?')) return this.#leave(condition);
    const then = this.#binary(0);
    this.#expect(':');
    return this.#leave({ kind: 'call', name: '_?_:_', args: [condition, then, this.#expression()] });
  }

  #leave(node: CelNode): CelNode {
    this.#depth--;
    return node;
  }

  #binary(level: number): CelNode {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#unary();
    const first = this.#binary(level + 1);
    if (level === 0) return this.#alternatives(first);
    let node = first;
    for (let operator = this.#acceptAny(operators); operator; operator = this.#acceptAny(operators)) {
      node = { kind: 'call', name: operator === 'in' ? '@in' : `_${operator}_`, args: [node, this.#binary(level + 1)] };
    }
    return node;
  }

  /** A chain of `||` is one node, so its length does not count as depth. */
  #alternatives(first: CelNode): CelNode {
    const args = [first];
    while (this.#accept('||')) args.push(this.#binary(1));
    return args.length === 1 ? first : { kind: 'call', name: '_||_', args };
  }

  /** Pairs of `!` and `-` cancel out. */
  #unary(): CelNode {
    const operator = this.#acceptAny(['!', '-']);
    if (operator === undefined) return this.#member();
    let odd = true;
    while (this.#accept(operator)) odd = !odd;
    const operand = this.#member();
    return odd ? { kind: 'call', name: `${operator}_`, args: [operand] } : operand;
  }

  #member(): CelNode {
    let node = this.#primary();
    for (;;) {
      if (this.#accept('.')) {
        const field = this.#name();
        node = this.#accept('(')
          ? { kind: 'call', name: field, args: this.#list(')', () => this.#expression()) }
          : { kind: 'select', operand: node, field };
      } else if (this.#accept('[')) {
        node = { kind: 'call', name: '_[_]', args: [node, this.#expression()] };
        this.#expect(']');
      } else {
        return node;
      }
    }
  }

  #primary(): CelNode {
    const token = this.#token;
    if (token.kind === 'literal') {
      this.#position++;
      return { kind: 'literal', goType: token.goType, string: token.string };
    }
    if (this.#accept('(')) {
      const node = this.#expression();
      this.#expect(')');
      return node;
    }
    if (this.#accept('[')) return this.#elements('list', ']', () => this.#expression());
    if (this.#accept('{')) return this.#elements('map', '}', () => this.#entry());
    const dot = this.#accept('.') ? '.' : '';
    const name = dot + this.#name();
    return this.#accept('(') ? { kind: 'call', name, args: this.#list(')', () => this.#expression()) } : { kind: 'ident', name };
  }

  #entry(): CelNode {
    this.#expression();
    this.#expect(':');
    return this.#expression();
  }

  #elements(kind: 'list' | 'map', close: string, item: () => CelNode): CelNode {
    this.#list(close, item, true);
    return { kind };
  }

  #list(close: string, item: () => CelNode, trailingComma = false): CelNode[] {
    const items: CelNode[] = [];
    if (this.#accept(close)) return items;
    for (;;) {
      items.push(item());
      if (this.#accept(close)) return items;
      this.#expect(',');
      if (trailingComma && this.#accept(close)) return items;
    }
  }

  get #token(): CelToken {
    return this.#tokens[this.#position] ?? { kind: 'end', text: '<EOF>' };
  }

  #name(): string {
    const { kind, text } = this.#token;
    if (kind !== 'name') throw this.#unexpected();
    this.#position++;
    return text;
  }

  #accept(symbol: string): boolean {
    const { kind, text } = this.#token;
    if (kind !== 'symbol' || text !== symbol) return false;
    this.#position++;
    return true;
  }

  #acceptAny(symbols: readonly string[]): string | undefined {
    return symbols.find((symbol) => this.#accept(symbol));
  }

  #expect(symbol: string): void {
    if (!this.#accept(symbol)) throw this.#unexpected();
  }

  #unexpected(): CelSyntaxError {
    return new CelSyntaxError(`Syntax error: mismatched input '${this.#token.text}'`);
  }
}

/** A token of a CEL expression. Names and literals have a value; other tokens only have their text. */
type CelToken =
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
function celTokens(expression: string): CelToken[] {
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
