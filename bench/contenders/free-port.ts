import { type AddressInfo, createServer } from 'node:net';

const ATTEMPTS = 50;
const HIGHEST = 65_535;

/** A free local port such that the ports at these distances from it are free as well. */
export async function freePortFor(distances: readonly number[] = [0]): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = await listenOn(0);
    if (port !== undefined && (await allFree(distances.map((distance) => port + distance)))) return port;
  }
  throw new Error('no free ports');
}

async function allFree(ports: readonly number[]): Promise<boolean> {
  for (const port of ports) if (port > HIGHEST || (await listenOn(port)) === undefined) return false;
  return true;
}

/** A port on which it was possible to listen for a moment. */
function listenOn(port: number): Promise<number | undefined> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(undefined));
    probe.listen(port, '127.0.0.1', () => {
      const { port: found } = probe.address() as AddressInfo;
      probe.close(() => resolve(found));
    });
  });
}
