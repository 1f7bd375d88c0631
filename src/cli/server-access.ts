import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { printable } from '../apimachinery/text/printable.js';
import { SERVER_ORDER, chooseServer } from '../kube/choose-server.js';
import { podTarget } from '../kube/cluster-target.js';
import { KubeClient, KubeError } from '../kube/kube-client.js';
import { type KubeTarget, bearer } from '../kube/kube-target.js';
import type { ServerSettings } from '../server/config/server-settings.js';
import { type KubeconfigOptions, ADMIN_KUBECONFIG, parseKubeconfig } from '../server/tls/admin-kubeconfig.js';
import { systemFailure } from '../settings/given-files.js';
import { userTarget } from './kube/user-target.js';
import { CommandError } from './output/command-error.js';
import { addSettingOptions, configOf } from './setting-options.js';

/** How long a command waits for the server: somebody is waiting for its output. */
const PATIENCE_MS = 10_000;
/** How long the leases of a large cluster may take to arrive over a slow line. */
const ANSWER_MS = 60_000;

/** Adds the options of a command that asks a server. */
export function addServerOptions(command: Command): void {
  command
    .option('--kubeconfig <file>', `Kubeconfig of the server (default: ${SERVER_ORDER}).`)
    .option('--context <name>', 'Context in the kubeconfig (default: the current one).');
  addSettingOptions(command, ['data-dir']);
}

/** Calls `work` with a client of the server that the options name. */
export async function withServer<T>(command: Command, work: (client: KubeClient) => Promise<T>): Promise<T> {
  const { name, read } = findServer(command);
  const client = new KubeClient(read(), { timeoutMs: PATIENCE_MS, answerMs: ANSWER_MS });
  try {
    return await work(client);
  } catch (error) {
    throw error instanceof KubeError && error.isOfKubeconfig ? new CommandError(`${error.message}; the kubeconfig is ${name}`) : error;
  } finally {
    client.close();
  }
}

/** The server of a command's flags, else of `chooseServer`; `read` gets its address and credentials. Throws CommandError. */
export function findServer(command: Command): { readonly name: string; readonly read: () => KubeTarget } {
  const { kubeconfig, context } = command.opts<{ kubeconfig?: string; context?: string }>();
  if (kubeconfig !== undefined) return { name: kubeconfig, read: () => userTarget([kubeconfig], context) };
  const config = configOf(command);
  const file = path.resolve(config.dataDir, ADMIN_KUBECONFIG);
  const own = { name: file, read: () => ownServer(config) };
  if (command.getOptionValue('dataDir') !== undefined) return own;
  const isNamed = process.env['COORDINATION_APISERVER_DATA_DIR'] !== undefined;
  const { files = [], isOwn, name, note } = chooseServer({ file, isNamed }, process.env) ?? {};
  if (name === undefined) {
    throw new CommandError(
      `no server is known: none has run in ${path.dirname(file)} yet, and there is no ~/.kube/config: start one, pass its --data-dir or a --kubeconfig, or set KUBECONFIG`,
    );
  }
  if (note !== undefined) process.stderr.write(`note: ${printable(note)}\n`);
  if (isOwn) return own;
  return { name: files.join(', ') || name, read: () => (files.length === 0 ? podTarget() : userTarget(files, context)) };
}

/** The server on this machine; its certificate need not name the local address. */
export function ownServer(config: ServerSettings): KubeTarget {
  const { server, authorityCert, token } = readAdminAccess(config);
  return { server, ca: authorityCert, authorization: bearer(token) };
}

/** Reads the admin's kubeconfig of the server that runs, or last ran, in the data directory. Throws CommandError if there is none. */
export function readAdminAccess({ dataDir }: ServerSettings): KubeconfigOptions {
  const file = path.resolve(dataDir, ADMIN_KUBECONFIG);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(
      code === 'ENOENT'
        ? `no server has run in ${path.dirname(file)} yet: start it first, or pass its --data-dir`
        : `cannot read the admin's kubeconfig: ${systemFailure(error)}`,
    );
  }
  const access = parseKubeconfig(text);
  if (access === undefined) throw new CommandError(`${file} is not as the server wrote it: remove it and restart the server`);
  return access;
}
