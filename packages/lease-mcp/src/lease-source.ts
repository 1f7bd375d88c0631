import { ownKubeconfigOf } from '../../lease-lock/src/cli/own-kubeconfig.js';
import { DatabasePools } from '../../lease-lock/src/connection/database-pools.js';
import { serverConnection } from '../../lease-lock/src/connection/server-connection.js';
import { serverTransport } from '../../lease-lock/src/connection/server-transport.js';
import type { ServerOptions } from '../../lease-lock/src/connection/server-options.js';
import { databaseLeases } from '../../lease-lock/src/database-leases.js';
import { serverBackend } from '../../lease-lock/src/http/server-backend.js';
import type { LeaseBackend } from '../../lease-lock/src/lease-lock.js';
import type { OwnKubeconfig } from '../../../src/kube/choose-server.js';
import { type LeaseReader, databaseReader, serverReader } from './lease-reader.js';

export interface LeaseSourceOptions {
  readonly server: ServerOptions;
  /** Takes the place of the server. */
  readonly database?: { readonly url: string; readonly schema?: string };
}

/** Where leases are taken and read. */
export interface LeaseSource {
  readonly backend: LeaseBackend;
  readonly reader: LeaseReader;
}

/** Opened by the first call that succeeds: a kubeconfig that is corrected needs no new session. Rejects with a LockError. */
export function openLeaseSource(
  { server, database }: LeaseSourceOptions,
  own: OwnKubeconfig,
  complain: (line: string) => void,
): () => Promise<LeaseSource> {
  let opened: Promise<LeaseSource> | undefined;
  const open = async (): Promise<LeaseSource> => {
    if (database) {
      const { url, schema = 'coordination' } = database;
      const pools = await DatabasePools.open(url);
      return { backend: databaseLeases({ database: pools, namespace: server.namespace, schema }), reader: databaseReader(pools, schema) };
    }
    const isNamed = (server.server ?? server.kubeconfig) !== undefined;
    const ownKubeconfig = isNamed ? undefined : ownKubeconfigOf(own, complain);
    const connection = await serverConnection({ ...server, ownKubeconfig });
    const transport = serverTransport(connection);
    return { backend: serverBackend({ transport, namespace: connection.namespace }), reader: serverReader(transport) };
  };
  return () =>
    (opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    }));
}
