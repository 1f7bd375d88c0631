import type { AddressInfo } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import { StartError } from '../../settings/start-error.js';
import type { TlsMaterial } from '../../endpoints/http-server/tls-material.js';
import { secureContextOptions } from '../../endpoints/http-server/secure-context-options.js';
import type { ServerSettings } from '../config/server-settings.js';
import type { ProcessParts } from '../process.module.js';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** Whether other processes of this user may listen there too; the kernel then distributes connections among them. */
  readonly reusePort: boolean;
}

/** The HTTP application as the server uses it (part of Nest's interface). */
export interface HttpApplication {
  listen(address: ListenAddress): Promise<unknown>;
  /** Accepts no new requests, ends watches, and resolves when requests in progress are answered or cut off. */
  close(): Promise<void>;
  /** The provider that Nest has created for an injection token. */
  get<T>(token: abstract new (...services: never[]) => T): T;
  getHttpServer(): { address(): AddressInfo | string | null };
}

/** Opens the configured parts and assembles the application. The lifecycle stops the parts that are open, also if this rejects. */
type CreateHttpApplication = (settings: ServerSettings, parts: ProcessParts) => Promise<HttpApplication>;

/** Loads the function that builds the application. The composition root passes it, and it runs while the database starts. */
export type LoadHttpApplication = () => Promise<CreateHttpApplication>;

/** Listens and returns the port. StartError if the address cannot be used. */
export async function listen(application: HttpApplication, address: ListenAddress): Promise<number> {
  try {
    // A copy, since Fastify adds fields to it.
    await application.listen({ ...address });
  } catch (error) {
    throw cannotListen(address, error);
  }
  const taken = application.getHttpServer().address();
  return typeof taken === 'object' && taken !== null ? taken.port : address.port;
}

/** The reason why an address cannot be used. */
export function cannotListen({ host, port }: Pick<ListenAddress, 'host' | 'port'>, error: unknown): StartError {
  return new StartError(`cannot listen on ${host}:${port}: ${explain(error as NodeJS.ErrnoException)}`);
}

/** Uses other TLS settings for new connections; open ones keep theirs. */
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
