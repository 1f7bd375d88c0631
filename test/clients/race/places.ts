import { TcpLink } from '../../support/tcp-link.js';
import type { Launchers } from './launchers.js';
import type { Kind } from './kinds.js';
import type { Place } from './race-contestant.js';

/** Deals the processes of each kind to the leases, each with a proxy of its own. `close` closes the proxies. */
export async function openPlaces(
  leases: readonly string[],
  processes: Readonly<Partial<Record<Kind, number>>>,
  launchers: Launchers,
): Promise<{ places: Place[]; close: () => Promise<void> }> {
  const places: Place[] = [];
  for (const kind of Object.keys(processes) as Kind[]) {
    for (let number = 0; number < (processes[kind] ?? 0); number++) {
      const lease = leases[number % leases.length] ?? '';
      const proxy = await TcpLink.to(launchers.portOf(kind));
      places.push({ kind, number, lease, proxy, launch: await launchers.launch(kind, lease, proxy.port) });
    }
  }
  const alone = leases.find((lease) => places.filter((place) => place.lease === lease).length < 2);
  // The SQL program writes under its token until another candidate has taken the lease.
  if (alone !== undefined) throw new Error(`${alone} has fewer than two candidates: fewer leases, or more processes of a kind`);
  return {
    places,
    close: async () => {
      for (const { proxy } of places) await proxy.close();
    },
  };
}
