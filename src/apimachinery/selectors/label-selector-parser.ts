import { type FieldError, invalid } from '../errors/field-error.js';
import { badRequest } from '../errors/status-errors.js';
import { parseInt64, sortKeys } from '../go/go-string.js';
import { validateLabelValue, validateQualifiedName } from '../validation/names.js';
import { MAX_LABEL_TOKENS, selectorTooLong } from './value-condition.js';

const OPERATORS: ReadonlySet<TokenKind> = new Set(['in', 'notin', '=', '==', '!=', '>', '<']);

/** A parser for one text. Every error is a 400 with upstream's text. */
export class LabelSelectorParser {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(text: string) {
    this.#tokens = labelSelectorTokens(text);
  }

  /** Parses the whole text. The requirements are sorted by key. */
  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.kind === 'end') break;
      if (!opensRequirement(token)) throw badRequest(`found '${token.text}', expected: !, identifier, or 'end of string'`);
      requirements.push(this.#requirement());
      const next = this.#take();
      if (next.kind === 'end') break;
      if (next.kind !== ',') throw badRequest(`found '${next.text}', expected: ',' or 'end of string'`);
      const following = this.#peek();
      if (!opensRequirement(following)) throw badRequest(`found '${following.text}', expected: identifier after ','`);
    }
    return requirements.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  }

  #requirement(): LabelRequirement {
    const negated = this.#peek().kind === '!';
    if (negated) this.#take();
    const key = this.#word();
    const wrong = validateQualifiedName(key);
    // Upstream prints the key's missing path as a nil pointer.
    if (wrong.length > 0) throw unparsable(text(invalid('<nil>', key, wrong.join('; '))));
    const { kind } = this.#peek();
    if (negated || kind === 'end' || kind === ',') return new LabelRequirement(key, negated ? '!' : 'exists', []);
    const operator = this.#operator();
    const values = operator === 'in' || operator === 'notin' ? this.#values() : [this.#exactValue()];
    checkValues(key, operator, values);
    return new LabelRequirement(key, operator, values);
  }

  #operator(): LabelOperator {
    const { kind, text } = this.#take();
    if (!OPERATORS.has(kind)) throw unparsable(`found '${text}', expected: in, notin, =, ==, !=, gt, lt`);
    return kind as LabelOperator;
  }

  #exactValue(): string {
    const { kind } = this.#peek();
    return kind === 'end' || kind === ',' ? '' : this.#word();
  }

  /** `(a,b)`: sorted and unique; a missing item is the empty value. */
  #values(): string[] {
    const open = this.#take();
    if (open.kind !== '(') throw unparsable(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (!isWord(first) && first.kind !== ',' && first.kind !== ')') {
      throw unparsable(`found '${first.text}', expected: ',', ')' or identifier`);
    }
    const values = new Set<string>();
    for (;;) {
      const token = this.#peek();
      values.add(isWord(token) ? this.#take().text : '');
      const separator = this.#take();
      if (separator.kind === ')') return sortKeys([...values]);
      if (separator.kind === ',') continue;
      throw unparsable(`found '${separator.text}', expected: ${isWord(token) ? "',' or ')'" : "',', or identifier"}`);
    }
  }

  #word(): string {
    const token = this.#take();
    if (!isWord(token)) throw unparsable(`found '${token.text}', expected: identifier`);
    return token.text;
  }

  #peek(): Token {
    return this.#tokens[this.#position] ?? { kind: 'end', text: '' };
  }

  #take(): Token {
    const token = this.#peek();
    this.#position++;
    return token;
  }
}

/** `in` and `notin` are operators only after a key. */
function isWord({ kind }: Token): boolean {
  return kind === 'word' || kind === 'in' || kind === 'notin';
}

function opensRequirement(token: Token): boolean {
  return isWord(token) || token.kind === '!';
}

function checkValues(key: string, operator: LabelOperator, values: readonly string[]): void {
  const errors: FieldError[] = [];
  if ((operator === '>' || operator === '<') && parseInt64(values[0] ?? '') === undefined) {
    errors.push(invalid('values[0]', values[0], "for 'Gt', 'Lt' operators, the value must be an integer"));
  }
  for (const [index, value] of values.entries()) {
    const wrong = validateLabelValue(value);
    if (wrong.length > 0) errors.push(invalid(`values[${index}][${key}]`, value, wrong.join('; ')));
  }
  const [first] = errors;
  if (first === undefined) return;
  throw unparsable(errors.length === 1 ? text(first) : `[${[...new Set(errors.map(text))].join(', ')}]`);
}

const text = ({ field, body }: FieldError) => `${field}: ${body}`;

const unparsable = (problem: string) => badRequest(`unable to parse requirement: ${problem}`);

/** The operators of label selectors (apimachinery pkg/selection). */
export type LabelOperator = 'in' | 'notin' | '=' | '==' | '!=' | '>' | '<' | 'exists' | '!';

/** The labels of an object. */
export type Labels = Readonly<Record<string, string>>;

/** One condition of a label selector. `values` are sorted; `exists` and `!` have none. */
export class LabelRequirement {
  readonly #number: bigint | undefined;

  constructor(
    readonly key: string,
    readonly operator: LabelOperator,
    readonly values: readonly string[],
  ) {
    this.#number = operator === '>' || operator === '<' ? parseInt64(values[0] ?? '') : undefined;
  }

  /** Whether an object with these labels meets the requirement. */
  matches(labels: Labels | undefined): boolean {
    const value = valueOf(labels, this.key);
    switch (this.operator) {
      case 'exists':
        return value !== undefined;
      case '!':
        return value === undefined;
      case 'in':
      case '=':
      case '==':
        return value !== undefined && this.values.includes(value);
      case 'notin':
      case '!=':
        return value === undefined || !this.values.includes(value);
      case '>':
      case '<':
        return value !== undefined && this.#compares(value);
    }
  }

  toString(): string {
    if (this.operator === '!') return `!${this.key}`;
    if (this.operator === 'exists') return this.key;
    const values = this.values.join(',');
    return this.operator === 'in' || this.operator === 'notin'
      ? `${this.key} ${this.operator} (${values})`
      : `${this.key}${this.operator}${values}`;
  }

  #compares(value: string): boolean {
    const number = parseInt64(value);
    if (number === undefined || this.#number === undefined) return false;
    return this.operator === '>' ? number > this.#number : number < this.#number;
  }
}

function valueOf(labels: Labels | undefined, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** A token of the label selector grammar: a word, an operator or a bracket; `end` closes the list. */
type TokenKind = 'word' | 'in' | 'notin' | '=' | '==' | '!=' | '!' | '>' | '<' | '(' | ')' | ',' | 'end';

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const END: Token = { kind: 'end', text: '' };
const BLANK = /[ \t\r\n]*/y;
const SYMBOL = /==|!=|[=!(),<>]/y;
const WORD = /[^=!(),<> \t\r\n\0]+/y;

/**
 * Splits a selector into tokens; throws the 400 if there are too many. A NUL ends the selector unless it directly follows a token, to which it then belongs, as in upstream's
 * lexer.
 */
function labelSelectorTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let position = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = position;
    const found = pattern.exec(text)?.[0] ?? '';
    position += found.length;
    return found;
  };
  for (;;) {
    if (tokens.length > MAX_LABEL_TOKENS) throw selectorTooLong(MAX_LABEL_TOKENS, 'tokens');
    take(BLANK);
    const symbol = take(SYMBOL);
    const word = symbol === '' ? take(WORD) : '';
    if (symbol !== '') tokens.push({ kind: symbol as TokenKind, text: symbol });
    else if (word === '') return [...tokens, END];
    else tokens.push({ kind: word === 'in' || word === 'notin' ? word : 'word', text: word });
    if (text[position] === '\0') position++;
  }
}
