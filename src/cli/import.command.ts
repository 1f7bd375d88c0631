import path from 'node:path';
import { Command, Option } from 'commander';
import type { ServerConfig } from '../server/config/server-config.js';
import { readAdminAccess } from './admin-access.js';
import type { OnConflict } from './kube/copy-object.js';
import { ImportRun } from './kube/import-run.js';
import { ImportState } from './kube/import-state.js';
import { KubeClient } from './kube/kube-client.js';
import type { KubeTarget } from './kube/kube-target.js';
import { readKubeconfig } from './kube/kube-target.js';
import type { OutputFormat } from './output-format.js';
import { outputOption, writeResult } from './output-format.js';
import { Progress } from './progress.js';
import { addSettingOptions, configOf } from './setting-options.js';

const EXAMPLES = `
Examples:
  coordination-apiserver import --from-kubeconfig ~/.kube/config --from-context production
  coordination-apiserver import --from-kubeconfig ~/.kube/config --namespace jobs --on-conflict replace --dry-run`;

interface ImportFlags {
  readonly fromKubeconfig: string;
  readonly fromContext?: string;
  readonly toKubeconfig?: string;
  readonly namespace?: string;
  readonly onConflict: OnConflict;
  readonly state?: string;
  readonly dryRun: boolean;
  readonly output: OutputFormat;
}

/** `import`: leases and candidates from a cluster, or from another server of this kind. */
export function importCommand(): Command {
  const command = new Command('import')
    .description('Copies leases and lease candidates from a cluster to the running server. Run again after an interruption, it goes on.')
    .requiredOption('--from-kubeconfig <file>', 'Where from.')
    .option('--from-context <name>', 'Which context of it [the current one].')
    .option('--to-kubeconfig <file>', 'Where to [the server that works in the data directory].')
    .option('--namespace <name>', 'Only what is in it [all namespaces].')
    .addOption(new Option('--on-conflict <what>', 'What is done with what is there.').choices(['skip', 'replace']).default('skip'))
    .option('--state <file>', 'Where is kept how far it has come [import-state.json in the data directory].')
    .option('--dry-run', 'Has everything checked and nothing kept.', false)
    .addOption(outputOption());
  addSettingOptions(command, ['data-dir']);
  return command.addHelpText('after', EXAMPLES).action((flags: ImportFlags, self: Command) => runImport(flags, configOf(self)));
}

async function runImport(flags: ImportFlags, config: ServerConfig): Promise<void> {
  const from = new KubeClient(readKubeconfig(flags.fromKubeconfig, flags.fromContext));
  const to = new KubeClient(flags.toKubeconfig === undefined ? ownServer(config) : readKubeconfig(flags.toKubeconfig));
  const state = new ImportState(flags.state ?? path.resolve(config.dataDir, 'import-state.json'));
  const progress = new Progress('import');
  try {
    const { namespace, onConflict, dryRun } = flags;
    const run = new ImportRun({ from, to, namespace, onConflict, dryRun, state, onProgress: progress.report });
    if (run.resumed) process.stderr.write('going on with an import that was interrupted\n');
    const { created, replaced, skipped } = await run.run();
    progress.end();
    writeResult(flags.output, { created, replaced, skipped }, [
      ['CREATED', 'REPLACED', 'SKIPPED'],
      [created, replaced, skipped].map(String),
    ]);
  } finally {
    from.close();
    to.close();
  }
}

/** The server on this machine. Its certificate need not name the address by which it is reached here. */
export function ownServer(config: ServerConfig): KubeTarget {
  const { server, authorityCert, token } = readAdminAccess(config);
  return { server, authority: authorityCert, token };
}
