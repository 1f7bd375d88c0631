import path from 'node:path';
import type { Logger } from 'pino';
import type { ServerConfig } from '../config/server-config.js';
import { servingNames } from '../tls/certificate-names.js';
import { readSecretFiles, readServiceAccountKey, writeSecretFiles, writeServiceAccountKey } from '../tls/secret-files.js';
import { createServerSecrets, createServiceAccountKey, withFittingCertificate } from '../tls/server-secrets.js';
import type { ServerSecrets } from '../tls/server-secrets.js';
import { sharedSecrets, sharedServiceAccountKey } from '../tls/shared-secrets.js';
import type { SealedTexts, SharedTexts } from '../tls/shared-secrets.js';
import { readSecretsKey } from './check-files.js';

export interface SecretSources {
  readonly config: ServerConfig;
  /** Absent with an embedded database: then files are all there is. */
  readonly shared?: SharedTexts;
  /** The password of the database connection, '' when there is none. */
  readonly databasePassword: string;
  readonly logger: Logger;
  readonly now: number;
}

export interface LoadedSecrets extends ServerSecrets {
  /** Signs tokens of service accounts, as PEM; '' where another one is given. */
  readonly serviceAccountKey: string;
}

/** The server's secrets by the rules of docs/decisions/0011-shared-secrets.md, with copies in files. */
export async function loadSecrets(sources: SecretSources): Promise<LoadedSecrets> {
  const { config, shared, now } = sources;
  const dir = config.certDir || path.join(config.dataDir, 'certs');
  const names = servingNames(config.bindAddress, config.tlsSan);
  const filesCount = shared === undefined || config.certDir !== '';
  const sealed = shared && lazily(() => sealedTexts(shared, sources));

  const inFiles = filesCount ? readSecretFiles(dir) : undefined;
  const create = (): Promise<ServerSecrets> => createServerSecrets(names, now);
  const found = inFiles ?? (await (sealed ? sharedSecrets(sealed(), create) : create()));
  const secrets = await withFittingCertificate(found, names, now);
  if (secrets !== inFiles) writeSecretFiles(dir, secrets);

  if (config.serviceAccountSigningKeyFile !== '') return { ...secrets, serviceAccountKey: '' };
  const keyInFile = filesCount ? readServiceAccountKey(dir) : undefined;
  const key = keyInFile ?? (await (sealed ? sharedServiceAccountKey(sealed(), createServiceAccountKey) : createServiceAccountKey()));
  if (key !== keyInFile) writeServiceAccountKey(dir, key);
  return { ...secrets, serviceAccountKey: key };
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function sealedTexts(texts: SharedTexts, { config, databasePassword, logger }: SecretSources): SealedTexts {
  const keys = sealingKeys(config, databasePassword);
  if (keys.key === '') logger.warn(READABLE);
  const onRekeyed = (): void => logger.info('the secrets that servers share in the database are sealed under the new key from now on');
  return { texts, ...keys, onRekeyed };
}

const READABLE = 'whoever can read the database can read the secrets that servers share in it: give --secrets-key-file';

/** The key for shared secrets, and those that counted before it was given: the password of the connection, or none. */
export function sealingKeys(config: ServerConfig, databasePassword: string): { key: string; earlierKeys: string[] } {
  const key = config.secretsKeyFile === '' ? databasePassword : readSecretsKey(config);
  return { key, earlierKeys: [databasePassword, ''].filter((earlier) => earlier !== key) };
}
