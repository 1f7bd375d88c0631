/** The reason why this database cannot be used, in one line for the operator. */
export class DatabaseStartError extends Error {
  override readonly name = 'DatabaseStartError';
}
