import { createServer } from 'node:net';
import { StartError } from '../../settings/start-error.js';
import type { HttpApplication, ListenAddress } from './http-application.js';

const REASONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    EADDRINUSE: 'the address is already in use: choose another port with --secure-port',
    EADDRNOTAVAIL: 'this machine does not have that address',
    EACCES: 'no permission to use that port',
  }),
);

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

/** Throws StartError if the address cannot be used. Called before anything else is started. */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => probe.once('error', reject).listen({ host, port }, resolve));
  } catch (error) {
    throw cannotListen({ host, port }, error);
  }
  await new Promise((resolve) => probe.close(resolve));
}

function cannotListen({ host, port }: Pick<ListenAddress, 'host' | 'port'>, error: unknown): StartError {
  return new StartError(`cannot listen on ${host}:${port}: ${explain(error as NodeJS.ErrnoException)}`);
}

function explain({ code, message }: NodeJS.ErrnoException): string {
  return REASONS.get(code ?? '') ?? message;
}
