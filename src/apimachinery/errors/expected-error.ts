/**
 * An error that is an answer to a client rather than a fault of ours. Where it was made tells nobody anything, and finding that out costs
 * more than the rest of a refusal: it has no stack, unless it is `traced`.
 */
export class ExpectedError extends Error {
  constructor(message?: string, { cause, traced = false }: { readonly cause?: unknown; readonly traced?: boolean } = {}) {
    const { stackTraceLimit } = Error;
    if (!traced) Error.stackTraceLimit = 0;
    super(message, { cause });
    Error.stackTraceLimit = stackTraceLimit;
  }
}
