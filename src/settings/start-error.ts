/** The reason why the server cannot start, or a command cannot go on, in one line for the user: printed without a stack, exit code 1. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}
