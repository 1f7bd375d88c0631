/**
 * An error that answers a client and is no fault of the server. Capturing its stack would cost more than the rest of the rejection, so it
 * has none unless `traced` is set.
 */
export class ExpectedError extends Error {
  constructor(message?: string, { cause, traced = false }: { readonly cause?: unknown; readonly traced?: boolean } = {}) {
    const { stackTraceLimit } = Error;
    if (!traced) Error.stackTraceLimit = 0;
    super(message, { cause });
    Error.stackTraceLimit = stackTraceLimit;
  }
}
