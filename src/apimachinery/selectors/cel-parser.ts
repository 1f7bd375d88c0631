import { type CelToken, celTokens, CelSyntaxError } from './cel-lexer.js';

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
