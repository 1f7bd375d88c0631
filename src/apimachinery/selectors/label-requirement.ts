import { parseInt64 } from '../go/parse-int64.js';

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
