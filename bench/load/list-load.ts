import { Distribution } from '../measure/distribution.js';
import type { Figures } from '../measure/figures.js';
import type { LeaseClient } from './lease-client.js';
import type { ListLoad } from './generator.js';
import { prepareLeases } from './prepare-leases.js';

/** Clients list a namespace, completely or its first page, one request after the other. */
export async function listLoad(client: LeaseClient, { objects, clients, limit, query, seconds }: ListLoad): Promise<Figures> {
  await prepareLeases(client, objects);
  const path = `?${query ?? ''}${limit === 0 ? '' : `&limit=${limit}`}`;
  const took = new Distribution();
  let errors = 0;
  const started = performance.now();
  const one = async () => {
    while (performance.now() < started + seconds * 1000) {
      const sent = performance.now();
      const { status } = await client.send('GET', path);
      if (status === 200) took.add(performance.now() - sent);
      else errors++;
    }
  };
  await Promise.all(Array.from({ length: clients }, one));
  const rate = took.count / ((performance.now() - started) / 1000);
  return { [limit === 0 ? 'lists/s' : 'pages/s']: Math.round(rate * 10) / 10, ...took.percentiles(), errors };
}
