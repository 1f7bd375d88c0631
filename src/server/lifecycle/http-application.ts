import type { AddressInfo } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import type { HttpApplicationOptions, TlsMaterial } from '../../endpoints/http-application-options.js';
import { secureContextOptions } from '../../endpoints/pipeline/secure-context.js';
import { StartError } from '../start-error.js';

/** The HTTP application as the server drives it (what Nest's has). */
export interface HttpApplication {
  listen(port: number, host: string): Promise<unknown>;
  /** Takes no new requests, ends watches, and resolves when requests under way are answered or cut off. */
  close(): Promise<void>;
  getHttpServer(): { address(): AddressInfo | string | null };
}

/** Builds the application. */
export type CreateHttpApplication = (options: HttpApplicationOptions) => Promise<HttpApplication>;

/** Loads what builds it: handed down by the composition root, and loaded while the database starts. */
export type LoadHttpApplication = () => Promise<CreateHttpApplication>;

/** Listens and answers the port. StartError when the address is not to be had. */
export async function listen(application: HttpApplication, host: string, port: number): Promise<number> {
  try {
    await application.listen(port, host);
  } catch (error) {
    throw new StartError(`cannot listen on ${host}:${port}: ${explain(error as NodeJS.ErrnoException)}`);
  }
  const address = application.getHttpServer().address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

/** Speaks TLS otherwise from now on; connections that are open go on with what they began with. */
export function replaceTls(application: HttpApplication, tls: TlsMaterial): void {
  (application.getHttpServer() as unknown as TlsServer).setSecureContext(secureContextOptions(tls));
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the address is already in use',
  EADDRNOTAVAIL: 'this machine does not have that address',
  EACCES: 'the right to use that port is missing',
};

function explain({ code, message }: NodeJS.ErrnoException): string {
  return REASONS[code ?? ''] ?? message;
}
