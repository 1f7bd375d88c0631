import { setTimeout as sleep } from 'node:timers/promises';
import { Distribution } from '../measure/distribution.js';
import type { Figures } from '../measure/figures.js';
import type { LeaseClient } from './lease-client.js';
import { leaseJson } from './lease-json.js';
import type { WatchLoad } from './generator.js';
import { paced } from './paced.js';
import { prepareLeases } from './prepare-leases.js';
import { Renewer } from './renewer.js';

const LAST_EVENTS_MS = 2000;

/** Watchers follow a namespace whose leases are renewed at a fixed pace. */
export async function watchLoad(client: LeaseClient, load: WatchLoad): Promise<Figures> {
  const renewer = new Renewer(client, await prepareLeases(client, load.clients));
  const from = leaseJson.versionOf((await client.send('GET', '?limit=1')).body);
  const delays = new Distribution();
  const line = (text: string) => {
    const sent = /"renewTime":"([^"]+)"/.exec(text)?.[1];
    if (sent !== undefined) delays.add(Math.max(0, Date.now() - Date.parse(sent)));
  };
  const streams = Array.from({ length: load.watchers }, () => client.follow(`?watch=true&resourceVersion=${from}`, line));
  await Promise.all(streams.map(({ opened }) => opened));
  const before = delays.count;
  await paced(load.clients, load.everySeconds ?? 1, load.seconds, (index, due) => renewer.renew(index, due));
  const renewed = renewer.took.count;
  await sleep(LAST_EVENTS_MS);
  for (const stream of streams) stream.close();
  const events = delays.count - before;
  return {
    'events/s': Math.round(events / load.seconds),
    ...delays.percentiles(),
    'renewals/s': Math.round(renewed / load.seconds),
    late: renewed * load.watchers - events,
    errors: renewer.errors,
  };
}
