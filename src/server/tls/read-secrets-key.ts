import { readGivenFile } from '../../settings/read-given-file.js';
import { StartError } from '../../settings/start-error.js';
import type { ProcessSettings } from '../config/process.settings.js';

/** The key of `--secrets-key-file`. Throws StartError. */
export function readSecretsKey({ secretsKeyFile }: ProcessSettings): string {
  const key = readGivenFile('--secrets-key-file', secretsKeyFile).trim();
  if (key === '') throw new StartError(`--secrets-key-file ${secretsKeyFile} is empty`);
  return key;
}
