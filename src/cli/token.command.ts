import { Command } from 'commander';
import { readAdminAccess } from './read-admin-access.js';
import { addSettingOptions, configOf } from './setting-options.js';

const EXAMPLES = `
Example:
  curl --cacert .data/certs/ca.crt -H "Authorization: Bearer $(coordination-apiserver token)" https://127.0.0.1:6443/version`;

/** `token`: prints the admin's bearer token. */
export function tokenCommand(): Command {
  const command = new Command('token').description('Prints the admin token of the server in a data directory.');
  addSettingOptions(command, ['data-dir']);
  return command.addHelpText('after', EXAMPLES).action((_options, self: Command) => {
    process.stdout.write(`${readAdminAccess(configOf(self)).token}\n`);
  });
}
