import type { Command } from 'commander';
import type { ServerSettings } from '../server/config/server-settings.js';
import { findKubeconfig, KUBECONFIG_ORDER } from './find-kubeconfig.js';
import { KubeClient } from './kube/kube-client.js';
import type { KubeTarget } from './kube/kube-target.js';
import { readKubeconfig } from './kube/kube-target.js';
import { readAdminAccess } from './read-admin-access.js';
import { addSettingOptions, configOf } from './setting-options.js';

/** Adds the options of a command that asks a server. */
export function addServerOptions(command: Command): void {
  command
    .option('--kubeconfig <file>', `Kubeconfig of the server (default: ${KUBECONFIG_ORDER}).`)
    .option('--context <name>', 'Context in the kubeconfig (default: the current one).');
  addSettingOptions(command, ['data-dir']);
}

/** Calls `work` with a client of the server that the options name. */
export async function withServer<T>(command: Command, work: (client: KubeClient) => Promise<T>): Promise<T> {
  const { context } = command.opts<{ context?: string }>();
  const { file, isOwn } = findKubeconfig(command);
  const client = new KubeClient(isOwn ? ownServer(configOf(command)) : readKubeconfig(file, context));
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

/** The server on this machine; its certificate need not name the local address. */
export function ownServer(config: ServerSettings): KubeTarget {
  const { server, authorityCert, token } = readAdminAccess(config);
  return { server, authority: authorityCert, token };
}
