import type { ApiError } from '../errors/api-error.js';
import { badRequest } from '../errors/status-errors.js';

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

/**
 * Limits on the parts of a selector, which are counted as they are read: tokens of label selectors (2,000 requirements such as `a=b`), terms
 * of field selectors, tokens of shard selectors (300 ranges). The longest recorded selector has 208 tokens, and few proxies let a URL with
 * the tenth of these pass. Upstream has no limits but that of the URL.
 */
export const MAX_LABEL_TOKENS = 8000;
export const MAX_FIELD_TERMS = 2000;
export const MAX_SHARD_TOKENS = 4000;

/** The 400 of a selector beyond its limit. */
export function selectorTooLong(limit: number, parts: string): ApiError {
  return badRequest(`the selector is too long: it may have at most ${limit} ${parts}`);
}
