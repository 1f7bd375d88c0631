import { StartError } from '../start-error.js';
import { seal, unseal } from './sealed-box.js';
import type { ServerSecrets } from './server-secrets.js';

/** Keeps one text per name; the first writer wins and everyone is given its text. */
export interface SharedTexts {
  getOrCreate(name: string, make: () => Promise<string>): Promise<string>;
}

const NAME = 'server-secrets';

/**
 * The secrets of all servers on one database: one row, sealed under `key` (docs/decisions/0011-shared-secrets.md).
 * StartError when it was sealed under another key.
 */
export async function sharedSecrets(texts: SharedTexts, key: string, create: () => Promise<ServerSecrets>): Promise<ServerSecrets> {
  const box = await texts.getOrCreate(NAME, async () => seal(JSON.stringify(await create()), key));
  const text = unseal(box, key);
  if (text === undefined) {
    throw new StartError(
      'the secrets that servers share in this database are sealed with another key or another database password: ' +
        'give that one with --secrets-key-file, or --cert-dir with a copy of them',
    );
  }
  return JSON.parse(text) as ServerSecrets;
}
