import { Command } from 'commander';
import { printable } from '../apimachinery/text/printable.js';
import { CommandError } from './output/command-error.js';
import { addServerOptions, findServer } from './server-access.js';
import { ApiRelay } from './ui/api-relay.js';
import { startUiServer } from './ui/ui-server.js';

const EXAMPLES = `
Examples:
  coordination-apiserver ui
  coordination-apiserver ui --kubeconfig ~/.kube/config --context production`;

/** A free one each time: a page that a fixed port served earlier may have left a service worker in the browser, which sees the key. */
const DEFAULT_PORT = 0;

interface UiFlags {
  readonly port: number;
}

/** `ui`: opens the dashboard in a local browser; needs no token to paste and no certificate to trust. */
export function uiCommand(): Command {
  const command = new Command('ui')
    .description('Serves the dashboard on this computer only, with the rights of a kubeconfig, until stopped; prints its URL.')
    .option(
      '--port <number>',
      'Port on 127.0.0.1, which nobody else should have used before; 0 picks a free one.',
      parsePort,
      DEFAULT_PORT,
    );
  addServerOptions(command);
  return command.addHelpText('after', EXAMPLES).action(({ port }: UiFlags, self: Command) => runUi(port, findServer(self)));
}

async function runUi(port: number, { name, read }: ReturnType<typeof findServer>): Promise<void> {
  const relay = new ApiRelay(read);
  const server = await startUiServer(relay, port);
  // Before the address is printed: a script that reads it may stop the command at once.
  const stopped = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
  });
  process.stdout.write(`${printable(`dashboard of ${relay.server}, with ${name}: ${server.url}`)}\n`);
  await stopped;
  await server.close();
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new CommandError(`invalid value "${text}" for --port: must be a number between 0 and 65535`);
}
