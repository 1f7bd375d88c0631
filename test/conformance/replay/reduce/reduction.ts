/** A projection of a JSON document; the pattern says which of its parts. */
export type Reduction = (document: Record<string, unknown>, pattern: RegExp) => unknown;
