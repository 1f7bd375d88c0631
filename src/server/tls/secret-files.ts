import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { makeDirectory } from '../../settings/make-directory.js';
import { readIfPresent } from '../../settings/read-if-present.js';
import { StartError } from '../../settings/start-error.js';
import { writePrivateFile } from '../../settings/write-private-file.js';
import type { ServerSecrets } from './server-secrets.js';

const NAMES = {
  authorityCert: 'ca.crt',
  authorityKey: 'ca.key',
  servingCert: 'apiserver.crt',
  servingKey: 'apiserver.key',
  adminToken: 'admin-token',
} as const;

const DIRECTORY = { what: 'the directory of certificates', mode: 0o700 } as const;

/** A separate file, added later: it may be missing although the others exist. */
const SERVICE_ACCOUNT_KEY = 'sa.key';

/**
 * The secrets in a directory; undefined without the authority's certificate, which is written last, so that other files without it were
 * never used. StartError if another file is missing.
 */
export function readSecretFiles(dir: string): ServerSecrets | undefined {
  const missing = Object.values(NAMES).filter((name) => !existsSync(path.join(dir, name)));
  if (missing.includes(NAMES.authorityCert)) return undefined;
  if (missing.length > 0) {
    throw new StartError(
      `${missing.join(', ')} missing in ${dir}: restore what is missing, or remove ${NAMES.authorityCert} to have everything generated anew`,
    );
  }
  const read = (name: string): string => readFileSync(path.join(dir, name), 'utf8');
  return {
    authority: { cert: read(NAMES.authorityCert), key: read(NAMES.authorityKey) },
    serving: { cert: read(NAMES.servingCert), key: read(NAMES.servingKey) },
    adminToken: read(NAMES.adminToken).trim(),
  };
}

/** Writes the secrets, each file with mode 0600, into a directory that is created with mode 0700 if missing. */
export function writeSecretFiles(dir: string, secrets: ServerSecrets): void {
  makeDirectory(dir, DIRECTORY);
  const write = (name: string, text: string): void => writePrivateFile(path.join(dir, name), text);
  write(NAMES.authorityKey, secrets.authority.key);
  write(NAMES.servingCert, secrets.serving.cert);
  write(NAMES.servingKey, secrets.serving.key);
  write(NAMES.adminToken, secrets.adminToken + '\n');
  write(NAMES.authorityCert, secrets.authority.cert);
}

/** The directory's key for signing tokens of service accounts, as PEM. */
export function readServiceAccountKey(dir: string): string | undefined {
  return readIfPresent(path.join(dir, SERVICE_ACCOUNT_KEY));
}

/** Writes the key beside the other files. */
export function writeServiceAccountKey(dir: string, key: string): void {
  makeDirectory(dir, DIRECTORY);
  writePrivateFile(path.join(dir, SERVICE_ACCOUNT_KEY), key);
}
