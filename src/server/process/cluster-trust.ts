import path from 'node:path';
import type { Logger } from 'pino';
import { clusterClient } from '../../kube/cluster-target.js';
import { type KubeClient, KubeError, refusal } from '../../kube/kube-client.js';
import type { Lifecycle } from '../../settings/lifecycle.js';
import { makeDirectory, readIfPresent, writePrivateFile } from '../../settings/given-files.js';
import { StartError } from '../../settings/start-error.js';
import type { ServerSettings } from '../config/server-settings.js';

/** Where kube-apiserver publishes how it authenticates to aggregated servers. */
const CONFIG_MAP = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
const REFRESH_MS = 60_000;
const AUTHORITY = 'requestheader-client-ca-file';

type Published = Readonly<Record<string, string>>;

/**
 * Takes the trust in front proxies from the cluster, where no flag gives it. What was read last is kept in the data directory, so that a
 * server also starts while the cluster is down. A new authority takes effect within a minute; other names and headers at the next start.
 */
export async function trustCluster(config: ServerSettings, logger: Logger, lifecycle: Lifecycle): Promise<ServerSettings> {
  if (config.clusterKubeconfig === '' || config.requestheaderClientCaFile !== '') return config;
  const cluster = clusterClient(config.clusterKubeconfig);
  lifecycle.onStop(() => cluster.close());
  const folder = path.join(config.dataDir, 'cluster');
  makeDirectory(folder, { what: 'the directory', mode: 0o700 });
  const kept = path.join(folder, 'extension-apiserver-authentication.json');
  const authority = path.join(folder, 'requestheader-client-ca.crt');
  const refresh = async (): Promise<Published> => {
    const published = await readPublished(cluster);
    replaceFile(authority, published[AUTHORITY] ?? '');
    replaceFile(kept, JSON.stringify(published));
    return published;
  };
  const published = await refresh().catch((error: unknown) => {
    const read = keptIn(kept, error);
    logger.warn({ reason: reasonOf(error) }, "cannot read the cluster's front-proxy settings; keeping the last ones");
    return read;
  });
  const timer = setInterval(() => {
    refresh().catch((error: unknown) => logger.warn({ reason: reasonOf(error) }, "cannot read the cluster's front-proxy settings"));
  }, REFRESH_MS);
  lifecycle.onStop(() => clearInterval(timer));
  const list = (name: string, otherwise: string[]): string[] => {
    const names = namesIn(published[name]);
    return names.length > 0 ? names : otherwise;
  };
  return {
    ...config,
    requestheaderClientCaFile: authority,
    requestheaderAllowedNames: list('requestheader-allowed-names', config.requestheaderAllowedNames),
    requestheaderUsernameHeaders: list('requestheader-username-headers', config.requestheaderUsernameHeaders),
    requestheaderUidHeaders: list('requestheader-uid-headers', config.requestheaderUidHeaders),
    requestheaderGroupHeaders: list('requestheader-group-headers', config.requestheaderGroupHeaders),
    requestheaderExtraHeadersPrefix: list('requestheader-extra-headers-prefix', config.requestheaderExtraHeadersPrefix),
  };
}

async function readPublished(cluster: KubeClient): Promise<Published> {
  const answer = await cluster.ask('GET', CONFIG_MAP);
  if (answer.status !== 200) throw refusal('cannot read extension-apiserver-authentication in kube-system', answer);
  const data = (answer.body as { data?: Published }).data ?? {};
  if (!(data[AUTHORITY] ?? '').includes('BEGIN CERTIFICATE')) {
    throw new KubeError(
      'extension-apiserver-authentication has no authority of front proxies: kube-apiserver has no --requestheader-client-ca-file',
    );
  }
  return data;
}

/** The authority is read again whenever its file changes. */
function replaceFile(file: string, content: string): void {
  if (readIfPresent(file) !== content) writePrivateFile(file, content);
}

function keptIn(file: string, error: unknown): Published {
  const text = readIfPresent(file);
  if (text === undefined) throw new StartError(`--cluster-kubeconfig: ${reasonOf(error)}`);
  try {
    return JSON.parse(text) as Published;
  } catch (damaged) {
    throw new StartError(`--cluster-kubeconfig: ${reasonOf(error)}; and ${file}, what was read last, is damaged: ${reasonOf(damaged)}`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function namesIn(text: string | undefined): string[] {
  const names: unknown = text === undefined ? [] : JSON.parse(text);
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}
