import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Distinct unused ports of `host`. They lie below the range of ephemeral ports, which connections would use. */
export async function freePorts(count: number, host = '127.0.0.1'): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    if (!found.has(port) && (await isFree(port, host))) found.add(port);
  }
  return [...found];
}

async function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, host), 'listening');
    return (server.address() as AddressInfo).port === port;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
