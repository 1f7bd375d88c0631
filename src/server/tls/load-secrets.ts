import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Logger } from 'pino';
import type { AuthSettings } from '../../auth/auth.settings.js';
import type { ProcessSettings } from '../config/process.settings.js';
import type { OtherRole } from '../../storage/database/session/connected-role.js';
import { readIfPresent } from '../../settings/given-files.js';
import { StartError } from '../../settings/start-error.js';
import { ADMIN_KUBECONFIG } from './admin-kubeconfig.js';
import { type KeyPair, servingNames } from './certificate-authority.js';
import { readSecretFiles, readServiceAccountKey, writeSecretFiles, writeServiceAccountKey } from './secret-files.js';
import {
  type FoundSecrets,
  type ServerSecrets,
  createServerSecrets,
  createServiceAccountKey,
  withFittingCertificate,
} from './server-secrets.js';
import { type SealedTexts, type SharedTexts, sharedSecrets, sharedServiceAccountKey } from './shared-secrets.js';
import { SealingKey, readSecretsKey } from './sealing-key.js';

export interface SecretSources {
  readonly config: ProcessSettings & Pick<AuthSettings, 'serviceAccountSigningKeyFile'>;
  /** Absent with an embedded database, whose secrets are only in files. */
  readonly shared?: SharedTexts & { otherRole(): Promise<OtherRole | undefined> };
  /** The password of the database connection; '' if there is none. */
  readonly databasePassword: string;
  readonly logger: Logger;
  readonly now: number;
}

/** The secrets of this server. The class is the injection token. */
export abstract class LoadedSecrets implements ServerSecrets {
  abstract readonly authority: KeyPair;
  abstract readonly serving: KeyPair;
  abstract readonly adminToken: string;
  /** The key that signs tokens of service accounts, as PEM; '' if another one is configured. */
  abstract readonly serviceAccountKey: string;
}

/** The server's secrets by the rules of docs/decisions/0011-shared-secrets.md, with copies in files. Rejects with a StartError. */
export async function loadSecrets(sources: SecretSources): Promise<LoadedSecrets> {
  const { config, shared, now } = sources;
  const dir = directoryOf(config);
  const names = servingNames(config.bindAddress, config.tlsSan);
  const filesCount = shared === undefined || config.certDir !== '';
  const sealed = shared && lazily(() => sealedTexts(shared, sources));

  const inFiles = filesCount ? readSecretFiles(dir) : undefined;
  const create = (): Promise<ServerSecrets> => createServerSecrets(names, now);
  const found = inFiles ?? (await (sealed ? sharedSecrets(sealed(), create) : create()));
  if (!filesCount) requireOwnCopies(config.dataDir, found);
  const secrets = await withFittingCertificate(found, names, now);
  if (secrets.authority !== found.authority) sources.logger.warn(INVALID_AUTHORITY);
  if (secrets.serving !== inFiles?.serving) writeSecretFiles(dir, secrets);

  if (config.serviceAccountSigningKeyFile !== '') return { ...secrets, serviceAccountKey: '' };
  return { ...secrets, serviceAccountKey: await loadServiceAccountKey(dir, filesCount, sealed) };
}

async function loadServiceAccountKey(dir: string, filesCount: boolean, sealed: (() => SealedTexts) | undefined): Promise<string> {
  const inFile = filesCount ? readServiceAccountKey(dir) : undefined;
  const key = inFile ?? (await (sealed ? sharedServiceAccountKey(sealed(), createServiceAccountKey) : createServiceAccountKey()));
  if (key !== inFile) writeServiceAccountKey(dir, key);
  return key;
}

const INVALID_AUTHORITY =
  'the certificate of the authority is not valid now, and was made again for the same key: clients whose kubeconfig has the earlier one need the new kubeconfig';

/** The directory of the secrets' files. */
function directoryOf({ certDir, dataDir }: ProcessSettings): string {
  return certDir || path.join(dataDir, 'certs');
}

/**
 * StartError where the files of an embedded database's server cannot be used, or are missing although it has served: its kubeconfig may be the
 * last copy of the authority and the token.
 */
export function checkSecretFiles(config: ProcessSettings): void {
  const dir = directoryOf(config);
  const kubeconfig = path.join(config.dataDir, ADMIN_KUBECONFIG);
  const found = readSecretFiles(dir);
  readServiceAccountKey(dir);
  if (found || !existsSync(kubeconfig)) return;
  throw new StartError(
    `the certificates and the admin token of the server that wrote ${kubeconfig} are not in ${dir}: restore them, or move that kubeconfig away to have new ones, after which every client needs the new kubeconfig`,
  );
}

/** StartError where the files are no copies of secrets in the database, but all there is of those of an embedded one. */
function requireOwnCopies(dataDir: string, { authority }: FoundSecrets): void {
  const dir = path.join(dataDir, 'certs');
  const kept = readIfPresent(path.join(dir, 'ca.key'));
  if (kept === undefined || kept === authority.key || !existsSync(path.join(dataDir, 'postgres/data'))) return;
  throw new StartError(
    `${dir} has the authority of the embedded database in ${dataDir}: pass another --data-dir for a server of another PostgreSQL`,
  );
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function sealedTexts(texts: NonNullable<SecretSources['shared']>, { config, databasePassword, logger }: SecretSources): SealedTexts {
  const keys = sealingKeys(config, databasePassword);
  if (keys.key.isEmpty) logger.warn(READABLE);
  const onRekeyed = (): void => logger.info('the secrets shared in the database are now encrypted with the new key');
  return { texts, ...keys, onRekeyed, ...(config.secretsKeyFile === '' ? { otherRole: () => texts.otherRole() } : {}) };
}

const READABLE = 'anyone who can read the database can read the secrets shared in it: pass --secrets-key-file';

/** The key for shared secrets, and the keys that were valid before it was given: the password of the connection, or none. */
export function sealingKeys(config: ProcessSettings, databasePassword: string): { key: SealingKey; earlierKeys: SealingKey[] } {
  const key = config.secretsKeyFile === '' ? databasePassword : readSecretsKey(config);
  const earlier = [databasePassword, ''].filter((each) => each !== key);
  return { key: new SealingKey(key), earlierKeys: earlier.map((each) => new SealingKey(each)) };
}
