import { readFile } from 'node:fs/promises';
import pg from 'pg';

/** A pg.Client whose configuration may have both a URL and a function for the password; pg itself would drop the function. */
export class DatabaseClient extends pg.Client {
  constructor(config: pg.ClientConfig = {}) {
    super(config);
    if (typeof config.password === 'function') Object.assign(this, { password: config.password });
  }
}

/** The text of a file for `--database-password-file`, without the end of its line. */
export function passwordOf(text: string): string {
  return text.replace(/\r?\n$/, '');
}

/** Reads the file for each new connection, since the password may have been changed. */
export function passwordFrom(file: string): () => Promise<string> {
  return async () => passwordOf(await readFile(file, 'utf8'));
}
