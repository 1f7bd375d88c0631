/**
 * The values that a label or field may have by all requirements together. Checking a value takes constant time regardless of the number of
 * requirements and values: a client may send hundreds of thousands in one selector, which is applied to every object.
 */
export class ValueCondition {
  #allowed: ReadonlySet<string> | undefined;
  #excluded: Set<string> | undefined;

  /** The value must be one of these. */
  allowOnly(values: readonly string[]): void {
    const before = this.#allowed;
    this.#allowed = new Set(before ? values.filter((value) => before.has(value)) : values);
  }

  /** The value must be none of these. */
  exclude(values: readonly string[]): void {
    this.#excluded ??= new Set();
    for (const value of values) this.#excluded.add(value);
  }

  /** Whether this value meets all requirements. */
  admits(value: string): boolean {
    return (this.#allowed === undefined || this.#allowed.has(value)) && this.#excluded?.has(value) !== true;
  }
}
