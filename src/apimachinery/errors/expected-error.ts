/**
 * An error that is returned to a client and is not the server's fault. It has no stack unless `traced` is set, because capturing one would
 * cost more than the rest of the rejection.
 */
export class ExpectedError extends Error {
  constructor(message?: string, { cause, traced = false }: { readonly cause?: unknown; readonly traced?: boolean } = {}) {
    const { stackTraceLimit } = Error;
    if (!traced) Error.stackTraceLimit = 0;
    super(message, { cause });
    Error.stackTraceLimit = stackTraceLimit;
  }
}
