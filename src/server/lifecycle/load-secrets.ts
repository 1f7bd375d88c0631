import path from 'node:path';
import type { Logger } from 'pino';
import type { ServerConfig } from '../config/server-config.js';
import { StartError } from '../start-error.js';
import { servingNames } from '../tls/certificate-names.js';
import { readSecretFiles, writeSecretFiles } from '../tls/secret-files.js';
import { createServerSecrets, withFittingCertificate } from '../tls/server-secrets.js';
import type { ServerSecrets } from '../tls/server-secrets.js';
import { sharedSecrets } from '../tls/shared-secrets.js';
import type { SharedTexts } from '../tls/shared-secrets.js';
import { readGivenFile } from './read-given-file.js';

export interface SecretSources {
  readonly config: ServerConfig;
  /** Absent with an embedded database: then files are all there is. */
  readonly shared?: SharedTexts;
  /** The password of the database connection, '' when there is none. */
  readonly databasePassword: string;
  readonly logger: Logger;
  readonly now: number;
}

/** The server's secrets by the rules of docs/decisions/0011-shared-secrets.md, with copies in files. */
export async function loadSecrets(sources: SecretSources): Promise<ServerSecrets> {
  const { config, shared, now } = sources;
  const dir = config.certDir || path.join(config.dataDir, 'certs');
  const names = servingNames(config.bindAddress, config.tlsSan);
  const filesCount = shared === undefined || config.certDir !== '';
  const inFiles = filesCount ? readSecretFiles(dir) : undefined;
  const found = inFiles ?? (await obtain(sources, () => createServerSecrets(names, now)));
  const secrets = await withFittingCertificate(found, names, now);
  if (secrets !== inFiles) writeSecretFiles(dir, secrets);
  return secrets;
}

function obtain(sources: SecretSources, create: () => Promise<ServerSecrets>): Promise<ServerSecrets> {
  if (sources.shared === undefined) return create();
  return sharedSecrets(sources.shared, sealingKey(sources), create);
}

function sealingKey({ config, databasePassword, logger }: SecretSources): string {
  if (config.secretsKeyFile !== '') {
    const key = readGivenFile('--secrets-key-file', config.secretsKeyFile).trim();
    if (key === '') throw new StartError(`--secrets-key-file ${config.secretsKeyFile} is empty`);
    return key;
  }
  if (databasePassword === '') {
    logger.warn('whoever can read the database can read the secrets that servers share in it: give --secrets-key-file');
  }
  return databasePassword;
}
