import type { Figures } from '../measure/figures.js';
import type { LeaseClient } from './lease-client.js';
import type { RenewLoad } from './generator.js';
import { paced } from './paced.js';
import { prepareLeases } from './prepare-leases.js';
import { Renewer } from './renewer.js';

const WARM_UP_MS = 1000;

/** Every client renews its own lease, either as soon as it has the previous response or at a fixed pace. */
export async function renewLoad(client: LeaseClient, load: RenewLoad): Promise<Figures> {
  const { clients, everySeconds, seconds } = load;
  const versions = await prepareLeases(client, clients);
  if (everySeconds === undefined) await closedLoop(new Renewer(client, versions), clients, WARM_UP_MS);
  const renewer = new Renewer(client, versions);
  const started = performance.now();
  if (everySeconds === undefined) await closedLoop(renewer, clients, seconds * 1000);
  else await paced(clients, everySeconds, seconds, (index, due) => renewer.renew(index, due));
  const rate = renewer.took.count / ((performance.now() - started) / 1000);
  return { 'renewals/s': Math.round(rate * 10) / 10, ...renewer.took.percentiles(), errors: renewer.errors };
}

async function closedLoop(renewer: Renewer, clients: number, ms: number): Promise<void> {
  const until = performance.now() + ms;
  const one = async (index: number) => {
    while (performance.now() < until) await renewer.renew(index);
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => one(index)));
}
