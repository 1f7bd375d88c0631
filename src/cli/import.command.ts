import path from 'node:path';
import { Command, Option } from 'commander';
import type { ServerSettings } from '../server/config/server-settings.js';
import { type OnConflict, ImportRun, ImportState } from './kube/import-run.js';
import { KubeClient } from '../kube/kube-client.js';
import { userTarget } from './kube/user-target.js';
import { type OutputFormat, outputOption, writeResult } from './output/output-format.js';
import { Progress } from './output/progress.js';
import { ownServer } from './server-access.js';
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

/** `import`: copies leases and candidates from a cluster or another server. */
export function importCommand(): Command {
  const command = new Command('import')
    .description('Copies leases and lease candidates from a cluster to the running server. Resumes an interrupted import.')
    .requiredOption('--from-kubeconfig <file>', 'Kubeconfig of the source.')
    .option('--from-context <name>', 'Context in the kubeconfig (default: the current one).')
    .option('--to-kubeconfig <file>', 'Kubeconfig of the target (default: the server in the data directory).')
    .option('--namespace <name>', 'Restricts to one namespace (default: all namespaces).')
    .addOption(new Option('--on-conflict <what>', 'What to do with existing objects.').choices(['skip', 'replace']).default('skip'))
    .option('--state <file>', 'File that stores the progress (default: import-state.json in the data directory).')
    .option('--dry-run', 'Validates everything and stores nothing.', false)
    .addOption(outputOption());
  addSettingOptions(command, ['data-dir']);
  return command.addHelpText('after', EXAMPLES).action((flags: ImportFlags, self: Command) => runImport(flags, configOf(self)));
}

async function runImport(flags: ImportFlags, config: ServerSettings): Promise<void> {
  const from = new KubeClient(userTarget([flags.fromKubeconfig], flags.fromContext));
  const to = new KubeClient(flags.toKubeconfig === undefined ? ownServer(config) : userTarget([flags.toKubeconfig]));
  const state = new ImportState(flags.state ?? path.resolve(config.dataDir, 'import-state.json'));
  const progress = new Progress('import');
  try {
    const { namespace, onConflict, dryRun } = flags;
    const run = new ImportRun({ from, to, namespace, onConflict, dryRun, state, onProgress: progress.report });
    if (run.resumed) process.stderr.write('resuming an interrupted import\n');
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
