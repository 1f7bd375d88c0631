import { setTimeout as pause } from 'node:timers/promises';
import { Http2Client } from '../../../test/support/http-client.js';
import { type DemoLease, DEMO_LEASES } from './demo-leases.js';
import { leases, microTime } from './lease-objects.js';

/** As client-go's electors by default, rather than a part of the duration. */
const RENEWAL_MS = 2000;
const TAKEOVER_MS = 14_000;

/** Renews leases of the demo as their holders would, and lets candidates take the contended ones from each other, until the signal aborts. */
export async function liveDemo(url: string, signal: AbortSignal): Promise<void> {
  using client = new Http2Client(url);
  const busy = DEMO_LEASES.filter(({ now }) => now === 'renewed' || now === 'contended');
  await Promise.all(busy.map((lease, at) => hold(client, lease, (at / busy.length) * RENEWAL_MS, signal)));
}

async function hold(
  client: Http2Client,
  { namespace, name, now, holders }: DemoLease,
  delayMs: number,
  signal: AbortSignal,
): Promise<void> {
  const path = leases(namespace, name);
  const write = async (spec: object): Promise<{ leaseTransitions: number }> => {
    const headers = { 'content-type': 'application/merge-patch+json' };
    const { status, text } = await client.ask(path, { method: 'PATCH', headers, body: { spec: { renewTime: microTime(), ...spec } } });
    if (status !== 200) throw new Error(`cannot renew ${path}: ${status} ${text}`);
    return (JSON.parse(text) as { spec: { leaseTransitions: number } }).spec;
  };
  await pause(delayMs);
  let taken = performance.now();
  for (let { leaseTransitions } = await write({}); !signal.aborted;) {
    await pause(RENEWAL_MS * (0.9 + 0.2 * Math.random()));
    if (now === 'contended' && performance.now() - taken > TAKEOVER_MS) {
      taken = performance.now();
      leaseTransitions += 1;
      await write({ holderIdentity: holders[leaseTransitions % holders.length], acquireTime: microTime(), leaseTransitions });
    } else await write({});
  }
}
