/**
 * What the process ends with:
 * - 0: done;
 * - 1: it cannot be done; one line on stderr says why and what to do (a defect of the program shows its stack instead);
 * - 2: what was looked at is not as it should be (`doctor`, `verify`, `migrate check`, `certs`).
 */
export const EXIT_FAILED = 1;
export const EXIT_FINDINGS = 2;

/** A failure that the user can fix: a one-line message, printed without a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  constructor(
    message: string,
    readonly exitCode = EXIT_FAILED,
  ) {
    super(message);
  }
}
