import { TimeParseError } from './go-time.js';

/** A body that its decoder refuses; the message is the decoder's own, in upstream's words, and becomes part of a 400. */
export class DecodeError extends Error {
  override readonly name: string = 'DecodeError';
}

/** Whether an error says what is wrong with the sender's bytes. */
export function isDecodeError(error: unknown): error is DecodeError | TimeParseError {
  return error instanceof DecodeError || error instanceof TimeParseError;
}
