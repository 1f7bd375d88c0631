import { generateKeyPairSync } from 'node:crypto';
import type { ServerConfig } from '../config/server-config.js';
import { parseTracingConfig } from '../config/tracing-config.js';
import { StartError } from '../start-error.js';
import { createAccess } from './access.js';
import { readGivenFile } from './read-given-file.js';
import { readGivenPair } from './serving-certificate.js';
import { readAuditPolicy } from './start-audit.js';

const UNWATCHED = { watch: (): void => undefined };

/** Uses every file that the configuration names, before anything is started: what is wrong is told at once. Throws StartError. */
export function checkFiles(config: ServerConfig): void {
  if (config.tlsCertFile !== '') readGivenPair(config);
  if (config.secretsKeyFile !== '') readSecretsKey(config);
  if (config.tracingConfigFile !== '') parseTracingConfig(readGivenFile('--tracing-config-file', config.tracingConfigFile));
  readAuditPolicy(config);
  createAccess({ config, secrets: { adminToken: 'of no use', serviceAccountKey: anyKey() }, files: UNWATCHED });
}

/** The key of `--secrets-key-file`. Throws StartError. */
export function readSecretsKey({ secretsKeyFile }: ServerConfig): string {
  const key = readGivenFile('--secrets-key-file', secretsKeyFile).trim();
  if (key === '') throw new StartError(`--secrets-key-file ${secretsKeyFile} is empty`);
  return key;
}

/** In place of the one that the database has. */
function anyKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
