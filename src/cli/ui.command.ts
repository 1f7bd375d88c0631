import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import type { ServerSettings } from '../server/config/server-settings.js';
import { ADMIN_KUBECONFIG } from '../server/tls/admin-kubeconfig.js';
import { CommandError } from './output/command-error.js';
import type { KubeTarget } from './kube/kube-target.js';
import { readKubeconfig } from './kube/kube-target.js';
import { addSettingOptions, configOf } from './setting-options.js';
import { ApiRelay } from './ui/api-relay.js';
import { startUiServer } from './ui/ui-server.js';

const EXAMPLES = `
Examples:
  coordination-apiserver ui
  coordination-apiserver ui --kubeconfig ~/.kube/config --context production`;

const DEFAULT_PORT = 6480;

interface UiFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly port: number;
}

/** `ui`: opens the dashboard in a local browser; needs no token to paste and no certificate to trust. */
export function uiCommand(): Command {
  const command = new Command('ui')
    .description('Serves the dashboard on this computer only, with the rights of a kubeconfig, until stopped; prints its URL.')
    .option('--kubeconfig <file>', 'Kubeconfig to use (default: that of the data directory, $KUBECONFIG or ~/.kube/config).')
    .option('--context <name>', 'Context in the kubeconfig (default: the current one).')
    .option('--port <number>', 'Port on 127.0.0.1; 0 picks a free one.', parsePort, DEFAULT_PORT);
  addSettingOptions(command, ['data-dir']);
  return command.addHelpText('after', EXAMPLES).action((flags: UiFlags, self: Command) => runUi(flags, configOf(self)));
}

async function runUi({ kubeconfig, context, port }: UiFlags, config: ServerSettings): Promise<void> {
  const file = kubeconfig ?? findKubeconfig(config);
  const readTarget = (): KubeTarget => readKubeconfig(file, context);
  const relay = new ApiRelay(readTarget);
  const server = await startUiServer(relay, port);
  // Before the address is printed: a script that reads it may stop the command at once.
  const stopped = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
  });
  process.stdout.write(`dashboard of ${relay.server}, with ${file}: ${server.url}\n`);
  await stopped;
  await server.close();
}

/** Returns the first kubeconfig that exists. */
function findKubeconfig({ dataDir }: ServerSettings): string {
  const named = (process.env['KUBECONFIG'] ?? '').split(path.delimiter).filter(Boolean);
  const files = [path.resolve(dataDir, ADMIN_KUBECONFIG), ...named, path.join(homedir(), '.kube', 'config')];
  const found = files.find((file) => existsSync(file));
  if (found === undefined) throw new CommandError(`no kubeconfig found: start a server here, or pass --kubeconfig`);
  return found;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new CommandError(`invalid value "${text}" for --port: must be a number between 0 and 65535`);
}
