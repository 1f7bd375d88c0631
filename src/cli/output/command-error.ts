import { printable } from '../../apimachinery/text/printable.js';
import { StartError } from '../../settings/start-error.js';

/**
 * Exit codes:
 * - 0: success;
 * - 1: failure; one line on stderr says why and what to do (a defect of the program shows its stack instead);
 * - 2: a check found a problem (`doctor`, `verify`, `migrate check`, `certs`).
 */
export const EXIT_FAILED = 1;
export const EXIT_FINDINGS = 2;

/** A failure that the user can fix: a one-line message, printed without a stack. */
export class CommandError extends StartError {
  override readonly name = 'CommandError';

  constructor(
    message: string,
    readonly exitCode = EXIT_FAILED,
  ) {
    super(message);
  }
}

/** Prints a warning, which does not end the command. */
export function warn(text: string): void {
  process.stderr.write(`warning: ${printable(text)}\n`);
}
