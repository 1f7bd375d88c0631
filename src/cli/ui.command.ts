import { Command } from 'commander';
import { printable } from '../apimachinery/text/printable.js';
import { findKubeconfig, KUBECONFIG_ORDER } from './find-kubeconfig.js';
import { CommandError } from './output/command-error.js';
import type { KubeTarget } from './kube/kube-target.js';
import { readKubeconfig } from './kube/kube-target.js';
import { addSettingOptions } from './setting-options.js';
import { ApiRelay } from './ui/api-relay.js';
import { startUiServer } from './ui/ui-server.js';

const EXAMPLES = `
Examples:
  coordination-apiserver ui
  coordination-apiserver ui --kubeconfig ~/.kube/config --context production`;

/** A free one each time: a page that a fixed port served earlier may have left a service worker in the browser, which sees the key. */
const DEFAULT_PORT = 0;

interface UiFlags {
  readonly context?: string;
  readonly port: number;
}

/** `ui`: opens the dashboard in a local browser; needs no token to paste and no certificate to trust. */
export function uiCommand(): Command {
  const command = new Command('ui')
    .description('Serves the dashboard on this computer only, with the rights of a kubeconfig, until stopped; prints its URL.')
    .option('--kubeconfig <file>', `Kubeconfig to use (default: ${KUBECONFIG_ORDER}).`)
    .option('--context <name>', 'Context in the kubeconfig (default: the current one).')
    .option(
      '--port <number>',
      'Port on 127.0.0.1, which nobody else should have used before; 0 picks a free one.',
      parsePort,
      DEFAULT_PORT,
    );
  addSettingOptions(command, ['data-dir']);
  return command.addHelpText('after', EXAMPLES).action((flags: UiFlags, self: Command) => runUi(flags, findKubeconfig(self).file));
}

async function runUi({ context, port }: UiFlags, file: string): Promise<void> {
  const readTarget = (): KubeTarget => readKubeconfig(file, context);
  const relay = new ApiRelay(readTarget);
  const server = await startUiServer(relay, port);
  // Before the address is printed: a script that reads it may stop the command at once.
  const stopped = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
  });
  process.stdout.write(`${printable(`dashboard of ${relay.server}, with ${file}: ${server.url}`)}\n`);
  await stopped;
  await server.close();
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new CommandError(`invalid value "${text}" for --port: must be a number between 0 and 65535`);
}
