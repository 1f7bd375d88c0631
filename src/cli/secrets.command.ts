import { Command } from 'commander';
import type { ServerSettings } from '../server/config/server-settings.js';
import type { OtherRole } from '../storage/database/session/connected-role.js';
import type { Rekeyed } from '../server/tls/shared-secrets.js';
import { CommandError } from './output/command-error.js';
import { DATABASE_SETTINGS, withDatabase } from './database-access.js';
import { type OutputFormat, outputOption, writeResult } from './output/output-format.js';
import { addSettingOptions, configOf } from './setting-options.js';

const EXAMPLES = `
Examples:
  coordination-apiserver secrets rekey --old-key-file old-password --database-url postgresql://user:password@host:5432/database
  coordination-apiserver secrets rekey --secrets-key-file new-key --copies /var/lib/coordination-apiserver/certs`;

interface RekeyFlags {
  readonly output: OutputFormat;
  readonly oldKeyFile?: string;
  readonly copies?: string;
  readonly new: boolean;
}

/** `secrets rekey`: encrypts the secrets that servers on one database share with a new key. */
export function secretsCommand(): Command {
  const rekey = new Command('rekey')
    .description(
      'Re-encrypts the secrets shared by servers on one database with the key in --secrets-key-file, or by default with the database password. Running servers keep the secrets that they have read.',
    )
    .option('--old-key-file <file>', 'File with the key or database password that encrypts them now.')
    .option('--copies <directory>', 'Directory to take them from if no key decrypts them: certs in the data directory of a server.')
    .option('--new', 'Discard them: the next server to start creates new ones, and every client needs a new kubeconfig.', false)
    .addOption(outputOption());
  addSettingOptions(rekey, [...DATABASE_SETTINGS, 'secrets-key-file']);
  rekey.addHelpText('after', EXAMPLES).action(async (flags: RekeyFlags, self: Command) => {
    const rekeyed = await run(configOf(self), flags);
    writeResult(flags.output, rekeyed, [['SECRET', 'STATE'], ...rekeyed.map(({ name, state }) => [name, state])]);
    if (rekeyed.some(({ state }) => state === 'locked')) {
      const reason =
        flags.oldKeyFile === undefined
          ? 'no known key decrypts them'
          : 'neither the key in --old-key-file nor any other known one decrypts them';
      throw new CommandError(`${reason}: pass --old-key-file with the key of the last start, --copies, or --new to replace them`);
    }
  });
  return new Command('secrets')
    .description('Manages the secrets shared by servers on one database: certificates, admin token, token signing key.')
    .addCommand(rekey)
    .addHelpText('after', EXAMPLES);
}

type Result = Rekeyed | { readonly name: string; readonly state: 'removed' };

async function run(config: ServerSettings, flags: RekeyFlags): Promise<readonly Result[]> {
  const { usesEmbeddedPostgres } = await import('../server/config/server-address.js');
  if (usesEmbeddedPostgres(config, process.env)) {
    throw new CommandError('with the embedded PostgreSQL, the secrets are unencrypted files in the data directory: pass --database-url');
  }
  const { databasePassword, givenDatabaseUrl } = await import('../storage/database/start/database-url.js');
  const { sealingKeys } = await import('../server/tls/load-secrets.js');
  const { readGivenFile } = await import('../settings/given-files.js');
  const { SealingKey } = await import('../server/tls/sealing-key.js');
  const { rekeySecrets } = await import('../server/tls/shared-secrets.js');
  const { SHARED_NAMES } = await import('../server/tls/shared-secrets.js');
  const { SecretRepository } = await import('../storage/postgres/secret.repository.js');
  const { key, earlierKeys } = sealingKeys(config, databasePassword(givenDatabaseUrl(config), process.env));
  const old = flags.oldKeyFile === undefined ? [] : [new SealingKey(readGivenFile('--old-key-file', flags.oldKeyFile).trim())];
  const copies = flags.copies === undefined ? new Map<string, string>() : await readCopies(flags.copies);
  return withDatabase<readonly Result[]>(config, async (database) => {
    const texts = new SecretRepository(database);
    const other = !flags.new && config.secretsKeyFile === '' ? await texts.otherRole() : undefined;
    if (other) throw new CommandError(refusal(other));
    if (!flags.new) return rekeySecrets(texts, { key, oldKeys: [...old, ...earlierKeys], copies });
    const names = Object.values(SHARED_NAMES);
    for (const name of names) await texts.remove(name);
    return names.map((name) => ({ name, state: 'removed' as const }));
  });
}

function refusal({ user, owner }: OtherRole): string {
  return `the servers' tables belong to ${owner}, and no server could start after an encryption with the password of ${user}: connect as ${owner}, or pass --secrets-key-file with the key or password of the servers`;
}

async function readCopies(dir: string): Promise<Map<string, string>> {
  const { readSecretFiles, readServiceAccountKey } = await import('../server/tls/secret-files.js');
  const { SHARED_NAMES } = await import('../server/tls/shared-secrets.js');
  const [secrets, key] = [readSecretFiles(dir), readServiceAccountKey(dir)];
  if (secrets === undefined) throw new CommandError(`no copies of the secrets in ${dir}`);
  return new Map([
    [SHARED_NAMES.secrets, JSON.stringify(secrets)],
    ...(key === undefined ? [] : [[SHARED_NAMES.serviceAccountKey, key] as const]),
  ]);
}
