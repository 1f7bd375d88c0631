/** A program from outside npm that is not there: one line that says what to install. */
export class MissingProgramError extends Error {
  override readonly name = 'MissingProgramError';
}
