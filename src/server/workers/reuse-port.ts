import { createServer } from 'node:net';
import { cannotListen } from '../lifecycle/http-application.js';
import { StartError } from '../start-error.js';

/** StartError where the kernel does not spread connections over processes, or this Node does not ask it to (added in 22.12 and 23.1). */
export function requireReusePort(platform: string = process.platform, version: string = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNew = major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12);
  if (platform === 'linux' && isNew) return;
  throw new StartError(`more than one of --workers needs Linux and Node 22.12 or 23.1, and this is ${platform} with Node ${version}`);
}

/**
 * StartError when somebody listens at the address. Workers could not tell: the kernel lets all sockets of one user share a port that
 * want to, and would give part of the connections to another server.
 */
export async function requireFreePort(host: string, port: number): Promise<void> {
  if (port === 0) return;
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => probe.once('error', reject).listen({ host, port }, resolve));
  } catch (error) {
    throw cannotListen({ host, port }, error);
  }
  await new Promise((resolve) => probe.close(resolve));
}
