/** A header block that nobody can decode: what comes after it on the connection could not be decoded either. */
export class HpackError extends Error {}
