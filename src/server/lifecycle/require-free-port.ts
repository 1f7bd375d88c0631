import { createServer } from 'node:net';
import { cannotListen } from './http-application.js';

/** StartError if the address cannot be used; checked before anything else is started. */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => probe.once('error', reject).listen({ host, port }, resolve));
  } catch (error) {
    throw cannotListen({ host, port }, error);
  }
  await new Promise((resolve) => probe.close(resolve));
}
