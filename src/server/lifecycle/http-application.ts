import type { AddressInfo } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import type { HttpApplicationOptions, TlsMaterial } from '../../endpoints/http-application-options.js';
import { secureContextOptions } from '../../endpoints/pipeline/secure-context.js';
import { StartError } from '../start-error.js';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** Whether others of this user may listen there too: then the kernel spreads connections over all of them. */
  readonly reusePort: boolean;
}

/** The HTTP application as the server drives it (what Nest's has). */
export interface HttpApplication {
  listen(address: ListenAddress): Promise<unknown>;
  /** Takes no new requests, ends watches, and resolves when requests under way are answered or cut off. */
  close(): Promise<void>;
  getHttpServer(): { address(): AddressInfo | string | null };
}

/** Builds the application. */
export type CreateHttpApplication = (options: HttpApplicationOptions) => Promise<HttpApplication>;

/** Loads what builds it: handed down by the composition root, and loaded while the database starts. */
export type LoadHttpApplication = () => Promise<CreateHttpApplication>;

/** Listens and answers the port. StartError when the address is not to be had. */
export async function listen(application: HttpApplication, address: ListenAddress): Promise<number> {
  try {
    // A copy: Fastify adds to it.
    await application.listen({ ...address });
  } catch (error) {
    throw cannotListen(address, error);
  }
  const taken = application.getHttpServer().address();
  return typeof taken === 'object' && taken !== null ? taken.port : address.port;
}

/** Why an address is not to be had. */
export function cannotListen({ host, port }: Pick<ListenAddress, 'host' | 'port'>, error: unknown): StartError {
  return new StartError(`cannot listen on ${host}:${port}: ${explain(error as NodeJS.ErrnoException)}`);
}

/** Speaks TLS otherwise from now on; connections that are open go on with what they began with. */
export function replaceTls(application: HttpApplication, tls: TlsMaterial): void {
  (application.getHttpServer() as unknown as TlsServer).setSecureContext(secureContextOptions(tls));
}

const REASONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    EADDRINUSE: 'the address is already in use',
    EADDRNOTAVAIL: 'this machine does not have that address',
    EACCES: 'the right to use that port is missing',
  }),
);

function explain({ code, message }: NodeJS.ErrnoException): string {
  return REASONS.get(code ?? '') ?? message;
}
