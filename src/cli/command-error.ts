/** Why a command cannot do what it is asked to, in one line for the person who typed it: printed without a stack, exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
