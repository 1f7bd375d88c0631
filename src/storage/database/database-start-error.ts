/** Why this database cannot be used, in one line for the person who started the server. */
export class DatabaseStartError extends Error {
  override readonly name = 'DatabaseStartError';
}
