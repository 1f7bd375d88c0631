import { setFlagsFromString } from 'node:v8';
import { Command } from 'commander';
import { type ServerSettings, allSettings } from '../server/config/server-settings.js';
import { StorageSettings } from '../storage/storage.settings.js';
import { CommandError } from './output/command-error.js';
import { addSettingOptions, configOf } from './setting-options.js';

/** What runs a test server. Imported on demand: it is above this layer. */
export type LoadTestServer = () => Promise<{
  readonly runTestServer: (settings: ServerSettings, kubeconfigFile: string) => Promise<void>;
}>;

const EXAMPLES = `
Examples:
  coordination-apiserver test-server --kubeconfig-out=test.kubeconfig
  coordination-apiserver test-server --kubeconfig-out=test.kubeconfig --authorization-mode=RBAC`;

const SETTINGS = [
  ...['anonymous-auth', 'authorization-mode', 'bind-address', 'client-ca-file', 'controllers', 'enable-admission-plugins', 'event-ttl'],
  ...['lease-expiry-events', 'request-timeout', 'runtime-config', 'swagger-ui', 'tls-san', 'token-auth-file', 'ui'],
];

/** Settings that it has no use for, because it keeps nothing, and those that have another default here. */
const OMITTED = [
  ...['cert-dir', 'cluster-kubeconfig', 'data-dir', 'secrets-key-file', 'tls-cert-file', 'tls-private-key-file', 'worker-ports', 'workers'],
  ...['log-level', 'secure-port'],
];
const UNLISTED = allSettings()
  .filter(({ layer, name }) => layer !== StorageSettings && !OMITTED.includes(name))
  .map(({ name }) => name);

/** `test-server`: the server over a store in memory, for tests of other programs (docs/testing.md). */
export function testServerCommand(load: LoadTestServer): Command {
  const command = new Command('test-server')
    .description(
      'Runs a server for tests: it is in memory, and takes orders about time and faults. It ends with its parent or on end of input. It takes the other settings of serve, too, but for those about what is kept.',
    )
    .requiredOption('--kubeconfig-out <file>', "File for the admin's kubeconfig (mode 0600); removed at the end.")
    .option('--secure-port <port>', 'HTTPS port; 0 picks a free one, which is printed.', '0')
    .option('--log-level <level>', 'What is logged to stderr.', 'error');
  addSettingOptions(command, SETTINGS, UNLISTED);
  return command.addHelpText('after', EXAMPLES).action(async ({ kubeconfigOut }: { kubeconfigOut: string }, self: Command) => {
    if (kubeconfigOut === '') throw new CommandError('--kubeconfig-out must name a file');
    const settings = configOf(self, {});
    // Its young generation stays as small as it is: many of these run at once, and none for long.
    setFlagsFromString('--semi-space-growth-factor=1');
    const { runTestServer } = await load();
    await runTestServer(settings, kubeconfigOut);
  });
}
