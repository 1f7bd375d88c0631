import { printableJson } from '../apimachinery/text/printable.js';
import { Command, Option } from 'commander';
import { yamlText } from './output/output-format.js';
import { COPIED, readPage, servedVersion } from './kube/import-run.js';
import { KubeClient } from '../kube/kube-client.js';
import type { KubeObject } from '../kube/kube-object.js';
import { userTarget } from './kube/user-target.js';
import { CommandError } from './output/command-error.js';
import { ownServer } from './server-access.js';
import { addSettingOptions, configOf } from './setting-options.js';

const EXAMPLES = `
Examples:
  coordination-apiserver export > leases.yaml
  coordination-apiserver export --namespace jobs -o json | kubectl --kubeconfig other.kubeconfig apply -f -`;

interface ExportFlags {
  readonly fromKubeconfig?: string;
  readonly fromContext?: string;
  readonly namespace?: string;
  readonly output: 'yaml' | 'json';
}

/** `export`: prints leases and candidates as manifests for kubectl. */
export function exportCommand(): Command {
  const command = new Command('export')
    .description('Prints the leases and lease candidates of the running server, or of a cluster, as one List for kubectl apply.')
    .option('--from-kubeconfig <file>', 'Kubeconfig of the source (default: the server in the data directory).')
    .option('--from-context <name>', 'Context in the kubeconfig (default: the current one).')
    .option('--namespace <name>', 'Restricts to one namespace (default: all namespaces).')
    .addOption(new Option('-o, --output <format>', 'Output format.').choices(['yaml', 'json']).default('yaml'));
  addSettingOptions(command, ['data-dir']);
  return command.addHelpText('after', EXAMPLES).action(async (flags: ExportFlags, self: Command) => {
    const { fromKubeconfig: file, fromContext: context } = flags;
    const client = new KubeClient(file === undefined ? ownServer(configOf(self)) : userTarget([file], context));
    try {
      const list = { apiVersion: 'v1', kind: 'List', items: await readAll(client, flags.namespace) };
      process.stdout.write(flags.output === 'json' ? `${printableJson(JSON.stringify(list, null, 2))}\n` : yamlText(list));
    } finally {
      client.close();
    }
  });
}

async function readAll(client: KubeClient, namespace: string | undefined): Promise<KubeObject[]> {
  const objects: KubeObject[] = [];
  for (const copied of COPIED) {
    const version = await servedVersion(client, copied);
    let token = '';
    do {
      if (version === undefined) break;
      const page = await readPage(client, copied, version, { namespace, continue: token });
      if (page === 'expired') throw new CommandError('the list expired while it was being read: try again');
      objects.push(...page.objects);
      token = page.continue;
    } while (token !== '');
  }
  return objects;
}
