import { TimeParseError } from '../go/go-time.js';

/** A body that cannot be decoded. The message is upstream's and becomes part of a 400. */
export class DecodeError extends Error {
  override readonly name: string = 'DecodeError';
}

/** Whether an error is the sender's fault: its message is safe to return in a 400. */
export function isDecodeError(error: unknown): error is DecodeError | TimeParseError {
  return error instanceof DecodeError || error instanceof TimeParseError;
}
