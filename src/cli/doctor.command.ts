import path from 'node:path';
import { Command } from 'commander';
import { KubeClient, KubeError } from '../kube/kube-client.js';
import { usesEmbeddedPostgres } from '../server/config/server-address.js';
import { type ServerSettings, allSettings } from '../server/config/server-settings.js';
import type { CertificateReport } from '../server/tls/certificate-report.js';
import { asCalled, shellWord } from '../settings/program-call.js';
import { StartError } from '../settings/start-error.js';
import { withoutPassword } from '../storage/database/hosts/connection-string.js';
import type { DatabaseOptions } from '../storage/database/session/database-options.js';
import type { DatabaseDiagnosis } from '../storage/maintenance/diagnosis/diagnose.js';
import type { Diagnosis, RemedyTarget } from '../storage/maintenance/diagnosis/diagnosis.js';
import type { SecretRepository } from '../storage/postgres/secret.repository.js';
import { DATABASE_SETTINGS, withDatabase, withDatabaseOptions } from './database-access.js';
import { diagnoseControllers } from './diagnose-controllers.js';
import { doctorLeaseCommand } from './lease-doctor/doctor-lease.command.js';
import { CommandError, EXIT_FINDINGS } from './output/command-error.js';
import { type OutputFormat, outputOption, writeChecks } from './output/output-format.js';
import { ownServer } from './server-access.js';
import { addSettingOptions, configOf } from './setting-options.js';

const EXAMPLES = `
Examples:
  coordination-apiserver doctor
  coordination-apiserver doctor lease jobs/one
  coordination-apiserver doctor -o json --database-url postgresql://user:password@host:5432/database
  coordination-apiserver doctor --cluster-kubeconfig admin.conf --database-url postgresql://user:password@host:5432/database`;

const CLUSTER_TIMEOUT_MS = 10_000;
const PLACEMENT = 'database placement';

/** `doctor`: checks whether a server can run here, and warns of future problems. */
export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description(
      'Asks the server of the data directory, tries a write that it rolls back, and checks the database, the secrets shared in it, the certificates, and behind a cluster the place of the database, for current and foreseeable problems; changes nothing. Exit code 2: problems found.',
    )
    .addOption(outputOption());
  addSettingOptions(command, [...DATABASE_SETTINGS, 'max-bytes', 'max-event-bytes', 'secrets-key-file', 'cert-dir', 'cluster-kubeconfig']);
  command.addCommand(doctorLeaseCommand()).hook('preSubcommand', (self, lease) => {
    // Commander takes an option that both have, wherever it stands, for this command's.
    for (const [name, value] of Object.entries(self.opts())) {
      if (self.getOptionValueSource(name) === 'cli') lease.setOptionValueWithSource(name, value, 'cli');
    }
  });
  return command.addHelpText('after', EXAMPLES).action(async ({ output }: { output: OutputFormat }, self: Command) => {
    const { remedies } = await import('../storage/maintenance/diagnosis/diagnosis.js');
    const config = configOf(self);
    const { all: found, role } = await withDatabaseOptions(config, (options) => diagnoseDatabase(options, config));
    const isMigrated = found.some(({ check, state }) => check === 'migrations' && state === 'ok');
    const all = [
      ...(await diagnoseServer(config)),
      ...found,
      ...(isMigrated ? await diagnoseSecrets(config) : []),
      ...(await diagnoseCertificates(path.resolve(config.certDir || path.join(config.dataDir, 'certs')))),
      ...(await diagnosePlacement(config)),
    ];
    writeChecks(output, all);
    const lines = remedies(all, { ...remedyTarget(self, config), role }).map((line) => asCalled(line));
    if (output === 'table' && lines.length > 0) process.stdout.write(whatMayHelp(lines, config));
    const problems = all.filter(({ state }) => state === 'problem');
    if (problems.length > 0) throw new CommandError(`${problems.map(({ check }) => check).join(', ')}: see above`, EXIT_FINDINGS);
  });
}

/** A shown URL lacks its password, which this program and psql also take from PGPASSWORD. */
function whatMayHelp(lines: readonly string[], { databaseUrl }: ServerSettings): string {
  const shown = withoutPassword(databaseUrl);
  const isIncomplete = shown !== databaseUrl && lines.some((line) => line.includes(shown));
  const note = isIncomplete ? '\nThe password is left out: set PGPASSWORD to it.\n' : '';
  return `\nWhat may help:\n\n${lines.map((line) => `  ${line}\n`).join('')}${note}`;
}

async function diagnoseDatabase(options: DatabaseOptions, { maxBytes, maxEventBytes }: ServerSettings): Promise<DatabaseDiagnosis> {
  const { diagnose } = await import('../storage/maintenance/diagnosis/diagnose.js');
  const { createLogger } = await import('../telemetry/logger.js');
  return diagnose({ ...options, maxBytes, maxEventBytes }, createLogger({ logLevel: 'error' }), () => Date.now());
}

/** Behind a cluster: whether the database depends on that cluster. */
async function diagnosePlacement({ clusterKubeconfig, databaseUrl }: ServerSettings): Promise<Diagnosis[]> {
  if (clusterKubeconfig === '') return [];
  const { clusterTarget } = await import('../kube/cluster-target.js');
  const { withPlugin } = await import('./kube/user-target.js');
  const { KubeClient } = await import('../kube/kube-client.js');
  const { checkDatabase } = await import('./handover/check-database.js');
  const cluster = new KubeClient(withPlugin(clusterTarget(clusterKubeconfig, { runsPlugins: true })), { timeoutMs: CLUSTER_TIMEOUT_MS });
  try {
    return [{ ...(await checkDatabase(cluster, databaseUrl)), check: PLACEMENT }];
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return [{ check: PLACEMENT, state: 'warning', detail: `unknown: ${error.message}` }];
  } finally {
    cluster.close();
  }
}

const PATIENCE_MS = 7_000;
const CHECK = { check: 'server' };

/** Asks the server of the data directory how it is: it may have trouble that the database, asked by another process, has not. */
async function diagnoseServer(config: ServerSettings): Promise<Diagnosis[]> {
  const folder = path.resolve(config.dataDir);
  let target;
  try {
    target = ownServer(config);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return [{ ...CHECK, state: 'warning', detail: `not asked: ${error.message}` }];
  }
  const client = new KubeClient(target, { timeoutMs: PATIENCE_MS });
  const where = `${target.server}, of ${folder}`;
  try {
    const { status, text } = await client.askText('/readyz?verbose');
    if (status === 200) {
      const ready = { ...CHECK, state: 'ok', detail: `${where}, is ready: it was asked just now` } as const;
      return [ready, await diagnoseControllers(client, Date.now())];
    }
    const failed = [...text.matchAll(/^\[-\](\S+)/gm)].map(([, name]) => name ?? '');
    const reasons = await Promise.all(failed.map(async (name) => `${name}: ${await reasonOf(client, name)}`));
    const detail = reasons.length > 0 ? reasons.join('; ') : `/readyz answers ${status}`;
    return [{ ...CHECK, state: 'problem', detail: `${where}, is not ready: ${detail}` }];
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    const isDown = error.message.includes('ECONNREFUSED');
    return [
      { ...CHECK, state: isDown ? 'warning' : 'problem', detail: `${isDown ? 'does not run' : 'does not answer'}: ${error.message}` },
    ];
  } finally {
    client.close();
  }
}

/** A check's own path tells why it fails. */
async function reasonOf(client: KubeClient, check: string): Promise<string> {
  const { text } = await client.askText(`/readyz/${check}`);
  return text.trim().replace(/^internal server error: /, '');
}

/** Warns of certificates that cannot be used or end within two weeks. A start issues the server's own again, half a year before it ends. */
export async function diagnoseCertificates(dir: string, now = Date.now()): Promise<Diagnosis[]> {
  const { readCertificates } = await import('../server/tls/certificate-report.js');
  let certificates: readonly CertificateReport[];
  try {
    certificates = readCertificates(dir, now);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return [{ check: 'certificates', state: 'problem', detail: error.message }];
  }
  if (certificates.length === 0) {
    return [{ check: 'certificates', state: 'ok', detail: `none in ${dir}: a server's first start creates them` }];
  }
  return certificates.map(({ name, daysLeft, problem }) => {
    const check = `certificate ${name}`;
    if (problem !== undefined) return { check, state: 'problem', detail: problem };
    if (daysLeft >= 14) return { check, state: 'ok', detail: `expires in ${daysLeft} days` };
    const remedy = name === 'apiserver' ? ': restart the server, which issues a new one' : '';
    return { check, state: 'warning', detail: `expires in ${daysLeft} days${remedy}` };
  });
}

/** Whether a server started with these settings could open the secrets that servers share in the database, whose migrations are applied. */
async function diagnoseSecrets(config: ServerSettings): Promise<Diagnosis[]> {
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

/** What lines to copy repeat to address the database of this call. No password is repeated. */
function remedyTarget(command: Command, config: ServerSettings): Omit<RemedyTarget, 'role'> {
  return {
    flags: givenFlags(command, ['config', ...DATABASE_SETTINGS.filter((name) => name !== 'log-level')]),
    keyFlags: givenFlags(command, ['secrets-key-file']),
    psql: config.databaseUrl && psqlArgument(config.databaseUrl, process.env),
    adminPsql: config.databaseUrl === '' ? '-U ADMIN' : shellWord(asAdmin(withoutPassword(config.databaseUrl))),
    isEmbedded: usesEmbeddedPostgres(config, process.env),
  };
}

/** The flags with these names, as they were given. The environment applies to the next command too. */
function givenFlags(command: Command, names: readonly string[]): string {
  return [{ name: 'config', property: 'config' }, ...allSettings()]
    .filter(({ name, property }) => names.includes(name) && command.getOptionValueSource(property) === 'cli')
    .map(({ name, property }) => shellWord(`--${name}=${withoutPassword(String(command.getOptionValue(property)))}`))
    .join(' ');
}

/** The same database with the user ADMIN, which the reader replaces. Of two values for a keyword, libpq takes the last. */
function asAdmin(url: string): string {
  if (!/^postgres(ql)?:/.test(url)) return `${url} user=ADMIN`;
  return url.replaceAll(/(?<=[?&])user=[^&]*&?/g, '').replace(/:\/\/(?:[^/?@]*@|)/, '://ADMIN@');
}

function psqlArgument(url: string, environment: NodeJS.ProcessEnv): string {
  const { environment: own, alsoEnvironment } = allSettings().find(({ name }) => name === 'database-url') ?? {};
  const variable = [own, alsoEnvironment].find((name) => name !== undefined && environment[name] === url);
  return variable === undefined ? shellWord(withoutPassword(url)) : `"$${variable}"`;
}
