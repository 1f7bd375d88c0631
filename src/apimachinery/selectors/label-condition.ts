import { parseInt64 } from '../go/parse-int64.js';
import type { LabelRequirement } from './label-requirement.js';
import { ValueCondition } from './value-condition.js';

/** The combined requirements of a selector for one label. */
export class LabelCondition {
  /** Whether objects without the label do not match. */
  isRequired = false;
  #isForbidden = false;
  readonly #values = new ValueCondition();
  /** The label must be a number above and below these bounds, if they are set. */
  #above: bigint | undefined;
  #below: bigint | undefined;

  add({ operator, values }: LabelRequirement): void {
    switch (operator) {
      case '!':
        this.#isForbidden = true;
        return;
      case 'notin':
      case '!=':
        return this.#values.exclude(values);
      case 'in':
      case '=':
      case '==':
        this.#values.allowOnly(values);
        break;
      case '>':
      case '<':
        this.#compare(operator, values[0] ?? '');
        break;
      case 'exists':
    }
    this.isRequired = true;
  }

  /** Whether a label with this value meets all requirements. */
  admits(value: string): boolean {
    return !this.#isForbidden && this.#values.admits(value) && this.#isBetween(value);
  }

  #compare(operator: '>' | '<', text: string): void {
    const bound = parseInt64(text);
    // The selector parser rejects such a bound; no number is above or below it.
    if (bound === undefined) this.#isForbidden = true;
    else if (operator === '>') this.#above = this.#above !== undefined && this.#above > bound ? this.#above : bound;
    else this.#below = this.#below !== undefined && this.#below < bound ? this.#below : bound;
  }

  #isBetween(value: string): boolean {
    if (this.#above === undefined && this.#below === undefined) return true;
    const number = parseInt64(value);
    if (number === undefined) return false;
    return (this.#above === undefined || number > this.#above) && (this.#below === undefined || number < this.#below);
  }
}
