/** A header block that cannot be decoded; later blocks of the connection cannot be decoded either. */
export class HpackError extends Error {}
