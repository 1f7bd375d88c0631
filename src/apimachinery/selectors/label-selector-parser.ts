import { parseInt64 } from '../go/parse-int64.js';
import { sortKeys } from '../go/go-string.js';
import { type FieldError, invalid } from '../errors/field-error.js';
import { badRequest } from '../errors/status-errors.js';
import { validateLabelValue, validateQualifiedName } from '../validation/label-syntax.js';
import { type LabelOperator, LabelRequirement } from './label-requirement.js';
import { type Token, type TokenKind, labelSelectorTokens } from './label-selector-lexer.js';

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
