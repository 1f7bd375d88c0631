import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import type { ServerConfig } from '../server/config/server-config.js';
import { ADMIN_KUBECONFIG } from '../server/tls/admin-kubeconfig.js';
import { CommandError } from './command-error.js';
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

/** `ui`: the dashboard in the browser of this computer, without a token to paste or a certificate to trust. */
export function uiCommand(): Command {
  const command = new Command('ui')
    .description('Serves the dashboard on this computer alone, with the rights of a kubeconfig, until it is stopped; prints its address.')
    .option('--kubeconfig <file>', 'As whom, and of which server [that of the data directory, $KUBECONFIG or ~/.kube/config].')
    .option('--context <name>', 'Which context of it [the current one].')
    .option('--port <number>', 'The port on 127.0.0.1; 0 takes any that is free.', parsePort, DEFAULT_PORT);
  addSettingOptions(command, ['data-dir']);
  return command.addHelpText('after', EXAMPLES).action((flags: UiFlags, self: Command) => runUi(flags, configOf(self)));
}

async function runUi({ kubeconfig, context, port }: UiFlags, config: ServerConfig): Promise<void> {
  const file = kubeconfig ?? findKubeconfig(config);
  const readTarget = (): KubeTarget => readKubeconfig(file, context);
  const relay = new ApiRelay(readTarget);
  const server = await startUiServer(relay, port);
  process.stdout.write(`dashboard of ${relay.server}, as ${file} says: ${server.url}\n`);
  await new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
  });
  await server.close();
}

/** The first that there is. */
function findKubeconfig({ dataDir }: ServerConfig): string {
  const named = (process.env['KUBECONFIG'] ?? '').split(path.delimiter).filter(Boolean);
  const files = [path.resolve(dataDir, ADMIN_KUBECONFIG), ...named, path.join(homedir(), '.kube', 'config')];
  const found = files.find((file) => existsSync(file));
  if (found === undefined) throw new CommandError(`there is no kubeconfig: start a server here, or name one with --kubeconfig`);
  return found;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new CommandError(`invalid value "${text}" for --port: a number between 0 and 65535 is expected`);
}
