import { sortKeys } from '../go/go-string.js';
import { badRequest } from '../errors/status-errors.js';
import { MAX_FIELD_TERMS, ValueCondition, selectorTooLong } from './value-condition.js';

/** One condition on a field, `field=value` or `field!=value`. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** A parsed field selector: all of its requirements must be met. The resource defines which fields exist. */
export class FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  readonly #conditions = new Map<string, ValueCondition>();

  constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements;
    for (const { field, operator, value } of requirements) {
      const condition = this.#conditions.get(field) ?? new ValueCondition();
      this.#conditions.set(field, condition);
      if (operator === '=') condition.allowOnly([value]);
      else condition.exclude([value]);
    }
  }

  /** Whether it selects everything. */
  get isEmpty(): boolean {
    return this.requirements.length === 0;
  }

  /** The only value that a field may have, if the selector requires one. */
  exactValue(field: string): string | undefined {
    return this.requirements.find((requirement) => requirement.field === field && requirement.operator === '=')?.value;
  }

  /** All fields of which the selector names the one value that they must have. */
  get exactValues(): Readonly<Record<string, string>> {
    const exact = this.requirements.filter(({ operator }) => operator === '=');
    return Object.fromEntries(exact.map(({ field, value }) => [field, value]));
  }

  /** `fields`: the values of all fields that the selector may name; a missing one is ''. */
  matches(fields: Readonly<Record<string, string>>): boolean {
    for (const [field, condition] of this.#conditions) {
      if (!condition.admits(Object.hasOwn(fields, field) ? (fields[field] ?? '') : '')) return false;
    }
    return true;
  }

  /** Canonical text. */
  toString(): string {
    return this.requirements.map(({ field, operator, value }) => `${field}${operator}${escapeValue(value)}`).join(',');
  }
}

const EVERYTHING = new FieldSelector([]);

/**
 * Parses a field selector; throws the 400 with the text of apimachinery's parser (pkg/fields/selector.go). Terms are sorted; those with
 * neither field nor value select everything.
 */
export function parseFieldSelector(text: string): FieldSelector {
  if (text === '') return EVERYTHING;
  const requirements: FieldRequirement[] = [];
  for (const term of sortKeys(splitTerms(text))) {
    if (term === '') continue;
    const parts = TERM.exec(term);
    if (!parts) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    const [, field = '', operator = '', escaped = ''] = parts;
    const value = unescapeValue(escaped);
    if (field !== '' || value !== '') requirements.push({ field, operator: operator === '!=' ? '!=' : '=', value });
  }
  return requirements.length === 0 ? EVERYTHING : new FieldSelector(requirements);
}

/** The first operator applies. */
const TERM = /^(.*?)(!=|==|=)(.*)$/s;

/** Splits at commas that are not escaped by a backslash. Throws the 400 for too many terms. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      if (terms.length + 1 === MAX_FIELD_TERMS) throw selectorTooLong(MAX_FIELD_TERMS, 'terms');
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function unescapeValue(escaped: string): string {
  if (!/[\\,=]/.test(escaped)) return escaped;
  let value = '';
  let inEscape = false;
  for (const char of escaped) {
    const special = char === '\\' || char === ',' || char === '=';
    if (inEscape && !special) throw invalidEscape(`\\${char}`);
    if (!inEscape && special && char !== '\\') {
      throw badRequest(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`);
    }
    if (inEscape || !special) value += char;
    inEscape = special && !inEscape;
  }
  if (inEscape) throw invalidEscape('\\');
  return value;
}

const invalidEscape = (sequence: string) => badRequest(`invalid field selector: invalid escape sequence: ${sequence}`);

function escapeValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&');
}
