import type { LeaseBackend } from './backend.js';
import { type ServerOptions, serverConnection, serverTransport } from './connection/server-connection.js';
import { serverBackend } from './http/server-backend.js';

/** Leases in an API server: this project's or any other. */
export async function serverLeases(options: ServerOptions & { readonly onError?: (error: unknown) => void } = {}): Promise<LeaseBackend> {
  const connection = await serverConnection(options);
  return serverBackend({ transport: serverTransport(connection), namespace: connection.namespace, onError: options.onError });
}
