import { Distribution } from './distribution.js';
import type { LeaseClient } from './lease-client.js';
import { leaseBody, prepareLeases, versionOf } from './lease-client.js';
import type { LoadResult } from './renew-load.js';

/** Watchers follow a namespace whose leases are renewed at a fixed pace (open loop: a late answer delays nothing). */
export async function watchLoad(client: LeaseClient, watchers: number, renewalsPerSecond: number, seconds: number): Promise<LoadResult> {
  const versions = await prepareLeases(client, renewalsPerSecond);
  const from = versionOf((await client.send('GET', '?limit=1')).body);
  const delays = new Distribution();
  let events = 0;
  const line = (text: string) => {
    events++;
    const sent = /"renewTime":"([^"]+)"/.exec(text)?.[1];
    if (sent !== undefined) delays.add(Math.max(0, Date.now() - Date.parse(sent)));
  };
  const streams = Array.from({ length: watchers }, () => client.follow(`?watch=true&resourceVersion=${from}`, line));
  await new Promise((resolve) => setTimeout(resolve, 500));
  const before = events;
  const renewed = await pacedRenewals(client, versions, renewalsPerSecond, seconds);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  for (const stream of streams) stream.close();
  return {
    'renewals/s': Math.round(renewed / seconds),
    'events/s': Math.round((events - before) / seconds),
    'delivered %': Math.round(((events - before) / (renewed * watchers)) * 1000) / 10,
    'delay p50 ms': delays.quantile(0.5),
    'delay p99 ms': delays.quantile(0.99),
  };
}

async function pacedRenewals(client: LeaseClient, versions: string[], perSecond: number, seconds: number): Promise<number> {
  let done = 0;
  const pending: Promise<void>[] = [];
  const started = performance.now();
  for (let sent = 0; sent < perSecond * seconds; sent++) {
    const index = sent % versions.length;
    const wait = started + (sent * 1000) / perSecond - performance.now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    const name = `bench-${index}`;
    pending.push(
      client.send('PUT', `/${name}`, leaseBody(name, versions[index] ?? '')).then((answer) => {
        if (answer.status === 200) done++;
        versions[index] = versionOf(answer.body) || (versions[index] ?? '');
      }),
    );
  }
  await Promise.all(pending);
  return done;
}
