/** A projection of a JSON document; the pattern selects its parts. */
export type Reduction = (document: Record<string, unknown>, pattern: RegExp) => unknown;
