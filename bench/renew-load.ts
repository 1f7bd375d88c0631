import { Distribution } from './distribution.js';
import type { LeaseClient } from './lease-client.js';
import { leaseBody, prepareLeases, versionOf } from './lease-client.js';

export interface LoadResult {
  readonly [figure: string]: number;
}

/** Every client renews a lease of its own as soon as the answer before is there. A refused renewal is an error, never retried silently. */
export async function renewLoad(client: LeaseClient, clients: number, seconds: number): Promise<LoadResult> {
  const versions = await prepareLeases(client, clients);
  await renewUntil(client, versions, Date.now() + 1000);
  const started = performance.now();
  const { took, errors } = await renewUntil(client, versions, Date.now() + seconds * 1000);
  return {
    'renewals/s': Math.round(took.count / ((performance.now() - started) / 1000)),
    'p50 ms': took.quantile(0.5),
    'p99 ms': took.quantile(0.99),
    errors,
  };
}

/** Renews until the time is over; `versions` is brought up to date. */
export async function renewUntil(client: LeaseClient, versions: string[], until: number): Promise<{ took: Distribution; errors: number }> {
  const took = new Distribution();
  let errors = 0;
  const one = async (index: number) => {
    const name = `bench-${index}`;
    while (Date.now() < until) {
      const started = performance.now();
      const answer = await client.send('PUT', `/${name}`, leaseBody(name, versions[index] ?? ''));
      if (answer.status === 200) took.add(performance.now() - started);
      else errors++;
      versions[index] = versionOf(answer.status === 200 ? answer.body : (await client.send('GET', `/${name}`)).body);
    }
  };
  await Promise.all(versions.map((_, index) => one(index)));
  return { took, errors };
}
