import { Http2Client } from '../../../test/support/http-client.js';
import { leaseOf, leases, microTime } from './lease-objects.js';

/** Creates many leases: `lease-00000` and so on. */
export async function makeMany(url: string, namespace: string, count: number): Promise<void> {
  const client = new Http2Client(url);
  let next = 0;
  const one = async () => {
    for (let at = next++; at < count; at = next++) {
      const { status } = await client.ask(leases(namespace), {
        method: 'POST',
        body: leaseOf(manyName(at), { leaseDurationSeconds: 3600 }),
      });
      if (status !== 201) throw new Error(`cannot make ${manyName(at)}: ${status}`);
    }
  };
  await Promise.all(Array.from({ length: 64 }, one));
  client.session.close();
}

export const manyName = (at: number) => `lease-${String(at).padStart(5, '0')}`;

/** Renews them in turn, at most this many times a second, until the signal aborts; returns the number of renewals. */
export async function renewMany(url: string, namespace: string, count: number, perSecond: number, signal: AbortSignal): Promise<number> {
  const client = new Http2Client(url);
  const headers = { 'content-type': 'application/merge-patch+json' };
  const began = performance.now();
  let next = 0;
  const one = async () => {
    while (!signal.aborted) {
      const ahead = (next / perSecond) * 1000 - (performance.now() - began);
      if (ahead > 0) {
        await new Promise((resolve) => setTimeout(resolve, ahead));
        continue;
      }
      const path = leases(namespace, manyName(next++ % count));
      await client.ask(path, { method: 'PATCH', headers, body: { spec: { renewTime: microTime() } } });
    }
  };
  await Promise.all(Array.from({ length: 32 }, one));
  client.session.close();
  return next;
}
