import type { Command } from 'commander';
import type { ServerSettings } from '../server/config/server-settings.js';
import { printable } from '../apimachinery/text/printable.js';
import type { CheckName } from './handover/handover-check.js';
import { type Handover, type ServiceReference, ClusterAccess, REQUEST_TIMEOUT_MS } from './handover/cluster-access.js';
import { clusterTarget } from '../kube/cluster-target.js';
import { KubeClient } from '../kube/kube-client.js';
import type { KubeTarget } from '../kube/kube-target.js';
import { userTarget, withPlugin } from './kube/user-target.js';
import { DATABASE_SETTINGS, withDatabase } from './database-access.js';
import { CommandError } from './output/command-error.js';
import { ownServer } from './server-access.js';
import { addSettingOptions, configOf } from './setting-options.js';

export interface HandoverFlags {
  readonly clusterContext?: string;
  readonly kubeconfig?: string;
  readonly service: string;
  readonly serviceCaFile?: string;
  readonly freeze: string;
  readonly deadline: string;
}

export const namesOf = (value: string): string[] => value.split(',').filter((name) => name !== '');

/** Adds `--accept` for these checks; other names are refused before anything is asked. */
export function addAcceptOption(command: Command, checks: readonly CheckName[]): void {
  const accepted = (value: string): string[] => {
    const names = namesOf(value);
    const unknown = names.find((name) => !checks.some((check) => check === name));
    if (unknown === undefined) return names;
    throw new CommandError(`invalid value "${unknown}" for --accept: must be ${checks.length > 2 ? 'one of ' : ''}${listOf(checks)}`);
  };
  command.option('--accept <checks>', `Checks whose problems are accepted, separated by commas: ${listOf(checks)}.`, accepted, []);
}

function listOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** Adds the options of commands that hand leases over. */
export function addHandoverOptions(command: Command): void {
  command
    .option('--cluster-context <name>', 'Context in the kubeconfig of the cluster (default: the current one).')
    .option('--kubeconfig <file>', 'Kubeconfig of the server (default: the one in the data directory).')
    .option(
      '--service <namespace/name:port>',
      'Service by which kube-apiserver reaches the server.',
      'coordination/coordination-apiserver:443',
    )
    .option('--service-ca-file <file>', "PEM file with the authority of the server's certificate (default: from the server's kubeconfig).")
    .option('--freeze <seconds>', `For how long at most writes of elections are refused during a ${command.name()}.`, '9')
    .option('--deadline <seconds>', 'How long after the switch leases may not be served before it is undone.', '5');
  addSettingOptions(command, ['cluster-kubeconfig', ...DATABASE_SETTINGS]);
}

function targetOfCluster({ clusterContext }: HandoverFlags, { clusterKubeconfig }: ServerSettings): KubeTarget {
  if (clusterKubeconfig === '') throw new CommandError('--cluster-kubeconfig is missing: name the kubeconfig of the cluster');
  return withPlugin(clusterTarget(clusterKubeconfig, { context: clusterContext, runsPlugins: true }));
}

/** Stands for a server that no command asks. */
const NO_SERVER: KubeTarget = { server: 'https://server.invalid' };

/**
 * Calls `work` with both sides and the configured database's URL, '' for none. Each step is printed on stderr. Without `needsServer` it also
 * works away from the server, whose machine may be lost.
 */
export async function withHandover(
  command: Command,
  title: string,
  work: (handover: Handover, databaseUrl: string) => Promise<void>,
  { needsServer = true }: { readonly needsServer?: boolean } = {},
): Promise<void> {
  const flags = command.opts<HandoverFlags>();
  const config = configOf(command);
  // Before the cluster is asked anything.
  const given = {
    service: serviceOf(flags.service),
    freezeMs: secondsOf('--freeze', flags.freeze),
    deadlineMs: secondsOf('--deadline', flags.deadline),
  };
  const cluster = new ClusterAccess(targetOfCluster(flags, config));
  const target = flags.kubeconfig === undefined ? serverTarget(config, needsServer) : userTarget([flags.kubeconfig]);
  const server = new KubeClient(target, { timeoutMs: REQUEST_TIMEOUT_MS });
  try {
    await cluster.findInstances();
    const handover = {
      ...given,
      cluster,
      server,
      caBundle: await authorityOf(flags, target),
      newRevisions: () => beginRevisions(config),
      step: (text: string) => void process.stderr.write(`${title}: ${printable(text)}\n`),
    };
    await work(handover, config.databaseUrl);
  } finally {
    server.close();
    cluster.close();
  }
}

function serverTarget(config: ServerSettings, needsServer: boolean): KubeTarget {
  try {
    return ownServer(config);
  } catch (error) {
    if (needsServer || !(error instanceof CommandError)) throw error;
    return NO_SERVER;
  }
}

async function beginRevisions(config: ServerSettings): Promise<number> {
  const { bumpRevision } = await import('../storage/maintenance/bump-revision.js');
  return withDatabase(config, (database) => bumpRevision(database, 0));
}

function serviceOf(text: string): ServiceReference {
  const [namespace = '', name = '', ...rest] = text.replace(/:.*/, '').split('/');
  const port = Number(text.split(':')[1] ?? '443');
  if (namespace === '' || name === '' || rest.length > 0 || !(port >= 1 && port <= 65_535)) {
    throw new CommandError(`invalid value "${text}" for --service: must be namespace/name:port`);
  }
  return { namespace, name, port };
}

async function authorityOf({ serviceCaFile }: HandoverFlags, { ca = '' }: KubeTarget): Promise<string> {
  if (serviceCaFile === undefined) return ca;
  const { readFile } = await import('node:fs/promises');
  return readFile(serviceCaFile, 'utf8');
}

function secondsOf(flag: string, text: string): number {
  const seconds = Number(text.replace(/s$/, ''));
  if (!(seconds >= 1 && seconds <= 60)) throw new CommandError(`invalid value "${text}" for ${flag}: must be 1 to 60 seconds`);
  return seconds * 1000;
}
