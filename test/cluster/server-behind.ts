import { freePorts } from '../failover/cluster/free-ports.js';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';
import type { RealCluster } from './real-cluster.js';

export interface ServerBehindOptions {
  /** Default: that of kube-apiserver alone. */
  readonly authorization?: string;
  readonly nodeFlags?: readonly string[];
  /** Default: a new one. */
  readonly databaseUrl?: string;
}

/** Starts the same server again, after it was killed. */
export function startAgainBehind(cluster: RealCluster, { port, dataDir, databaseUrl }: ServerProcess): Promise<ServerProcess> {
  return startServerProcess({ port, dataDir, databaseUrl, flags: flagsBehind(cluster) });
}

function flagsBehind(cluster: RealCluster, authorization = 'FrontProxy'): string[] {
  return [
    `--cluster-kubeconfig=${cluster.kubeconfig}`,
    '--tls-san=leases.kube-system.svc,localhost',
    `--authorization-mode=${authorization}`,
  ];
}

/** Starts a server that follows the cluster and trusts its front proxy, and the cluster's Service `kube-system/leases` for its port. */
export async function startServerBehind(cluster: RealCluster, options: ServerBehindOptions = {}): Promise<ServerProcess> {
  const { authorization = 'FrontProxy', ...others } = options;
  const [port = 0] = await freePorts(1);
  const server = await startServerProcess({ ...others, port, flags: flagsBehind(cluster, authorization) });
  const service = { metadata: { name: 'leases' }, spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] } };
  const { status, text } = await cluster.ask('/api/v1/namespaces/kube-system/services', { method: 'POST', body: service });
  if (status === 201) return server;
  await server.stop();
  throw new Error(`the Service cannot be created: ${status} ${text}`);
}
