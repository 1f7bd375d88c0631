import type { Diagnosis } from '../storage/maintenance/diagnosis/diagnosis.js';
import { StartError } from '../settings/start-error.js';
import type { ServerSettings } from '../server/config/server-settings.js';
import { usesEmbeddedPostgres } from '../server/config/uses-embedded-postgres.js';
import type { SecretRepository } from '../storage/postgres/secret.repository.js';
import { withDatabase } from './database-access.js';

/** Whether a server started with these settings could open the secrets that servers share in the database, whose migrations are applied. */
export async function diagnoseSecrets(config: ServerSettings): Promise<Diagnosis[]> {
  if (usesEmbeddedPostgres(config, process.env)) return [];
  const needed = await neededNames(config).catch((error: unknown) => {
    if (error instanceof StartError) return error;
    throw error;
  });
  if (needed instanceof StartError) return [{ check: 'secrets', state: 'problem', detail: needed.message }];
  if (needed.length === 0) return [{ check: 'secrets', state: 'ok', detail: 'in files: those shared in the database are not needed' }];
  const { SecretRepository } = await import('../storage/postgres/secret.repository.js');
  return withDatabase(config, async (database) => [await diagnose(config, needed, new SecretRepository(database))]);
}

/** By the rules of `loadSecrets`: files in the directory of `--cert-dir` take precedence. */
async function neededNames({ certDir, serviceAccountSigningKeyFile }: ServerSettings): Promise<string[]> {
  const { SHARED_NAMES } = await import('../server/tls/shared-secrets.js');
  const { readSecretFiles, readServiceAccountKey } = await import('../server/tls/secret-files.js');
  const hasSecrets = certDir !== '' && readSecretFiles(certDir) !== undefined;
  const hasKey = serviceAccountSigningKeyFile !== '' || (certDir !== '' && readServiceAccountKey(certDir) !== undefined);
  return [...(hasSecrets ? [] : [SHARED_NAMES.secrets]), ...(hasKey ? [] : [SHARED_NAMES.serviceAccountKey])];
}

async function diagnose(config: ServerSettings, names: readonly string[], texts: SecretRepository): Promise<Diagnosis> {
  const check = 'secrets';
  const other = config.secretsKeyFile === '' ? await texts.otherRole() : undefined;
  if (other) {
    const detail = `not checked: without --secrets-key-file, servers open those shared in the database with the password of ${other.owner}`;
    return { check, state: 'ok', detail };
  }
  const { databasePassword, givenDatabaseUrl } = await import('../storage/database/start/database-url.js');
  const { sealingKeys } = await import('../server/tls/load-secrets.js');
  const { firstOpened } = await import('../server/tls/shared-secrets.js');
  const { key, earlierKeys } = sealingKeys(config, databasePassword(givenDatabaseUrl(config), process.env));
  const boxes = (await Promise.all(names.map((name) => texts.get(name)))).filter((box) => box !== undefined);
  if (boxes.length === 0) return { check, state: 'ok', detail: 'none yet: the first start creates them' };
  const opened = await Promise.all(boxes.map((box) => firstOpened(box, [key, ...earlierKeys])));
  if (!opened.includes(undefined)) {
    return { check, state: 'ok', detail: 'shared in the database, which the key of these settings opens' };
  }
  const given =
    config.secretsKeyFile === '' ? 'the database password, since no --secrets-key-file is given,' : 'the key in --secrets-key-file';
  return { check, state: 'problem', detail: `${given} does not open those shared in the database: a server cannot start` };
}
