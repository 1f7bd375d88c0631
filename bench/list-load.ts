import { Distribution } from './distribution.js';
import type { LeaseClient } from './lease-client.js';
import { prepareLeases } from './lease-client.js';
import type { LoadResult } from './renew-load.js';

/** Clients list a namespace with this many leases, whole or in pages of `limit`, one request after the other. */
export async function listLoad(client: LeaseClient, objects: number, clients: number, limit: number, seconds: number): Promise<LoadResult> {
  await prepareLeases(client, objects);
  const took = new Distribution();
  let errors = 0;
  const until = Date.now() + seconds * 1000;
  const one = async () => {
    let token = '';
    while (Date.now() < until) {
      const started = performance.now();
      const query = limit === 0 ? '' : `?limit=${limit}${token === '' ? '' : `&continue=${token}`}`;
      const answer = await client.send('GET', query);
      if (answer.status === 200) took.add(performance.now() - started);
      else errors++;
      token = /"continue":"([^"]+)"/.exec(answer.body.slice(0, 500))?.[1] ?? '';
    }
  };
  await Promise.all(Array.from({ length: clients }, one));
  const unit = limit === 0 ? 'lists/s' : 'pages/s';
  return { [unit]: Math.round((took.count / seconds) * 10) / 10, 'p50 ms': took.quantile(0.5), 'p99 ms': took.quantile(0.99), errors };
}
