import path from 'node:path';
import { Command } from 'commander';
import { asCalled } from '../settings/program-call.js';
import type { ServerSettings } from '../server/config/server-settings.js';
import type { DatabaseOptions } from '../storage/database/session/database-options.js';
import { withoutPassword } from '../storage/database/hosts/connection-string.js';
import type { DatabaseDiagnosis } from '../storage/maintenance/diagnosis/diagnose.js';
import type { Diagnosis } from '../storage/maintenance/diagnosis/diagnosis.js';
import { StartError } from '../settings/start-error.js';
import { CommandError, EXIT_FINDINGS } from './output/command-error.js';
import { DATABASE_SETTINGS, withDatabaseOptions } from './database-access.js';
import { type OutputFormat, outputOption, writeChecks } from './output/output-format.js';
import { doctorLeaseCommand } from './lease-doctor/doctor-lease.command.js';
import { diagnoseCertificates } from './diagnose-certificates.js';
import { diagnoseServer } from './diagnose-server.js';
import { diagnoseSecrets } from './diagnose-secrets.js';
import { remedyTarget } from './remedy-target.js';
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
