import { Command } from 'commander';
import { formatKubeconfig } from '../server/tls/admin-kubeconfig.js';
import { readAdminAccess } from './server-access.js';
import { CommandError } from './output/command-error.js';
import { addSettingOptions, configOf } from './setting-options.js';

const EXAMPLES = `
Examples:
  coordination-apiserver kubeconfig > admin.kubeconfig
  docker compose exec apiserver coordination-apiserver kubeconfig --server https://127.0.0.1:6443 > admin.kubeconfig`;

/** `kubeconfig`: prints the admin's kubeconfig, optionally with another server address. */
export function kubeconfigCommand(): Command {
  const command = new Command('kubeconfig')
    .description('Prints a kubeconfig with the admin token of the server in a data directory.')
    .option('--server <url>', 'Server URL in the kubeconfig (default: its local address).');
  addSettingOptions(command, ['data-dir']);
  return command.addHelpText('after', EXAMPLES).action(({ server }: { server?: string }, self: Command) => {
    const access = readAdminAccess(configOf(self));
    process.stdout.write(formatKubeconfig({ ...access, server: server === undefined ? access.server : checked(server) }));
  });
}

function checked(server: string): string {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url?.protocol === 'https:' && url.pathname === '/' && url.search === '' && url.username === '') return server.replace(/\/$/, '');
  throw new CommandError(`invalid value "${server}" for --server: must be a URL such as https://host:6443`);
}

const TOKEN_EXAMPLES = `
Example:
  curl --cacert .data/certs/ca.crt -H "Authorization: Bearer $(coordination-apiserver token)" https://127.0.0.1:6443/version`;

/** `token`: prints the admin's bearer token. */
export function tokenCommand(): Command {
  const command = new Command('token').description('Prints the admin token of the server in a data directory.');
  addSettingOptions(command, ['data-dir']);
  return command.addHelpText('after', TOKEN_EXAMPLES).action((_options, self: Command) => {
    process.stdout.write(`${readAdminAccess(configOf(self)).token}\n`);
  });
}
