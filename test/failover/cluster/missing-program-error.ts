/** A required program from outside npm is missing; the message says in one line what to install. */
export class MissingProgramError extends Error {
  override readonly name = 'MissingProgramError';
}
