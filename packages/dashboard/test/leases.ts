import { expect } from '@jest/globals';
import { ask, Http2Client } from '../../../test/support/http-client.js';

const ROOT = '/apis/coordination.k8s.io/v1';

export const leases = (namespace: string, name = '') => `${ROOT}/namespaces/${namespace}/leases${name && `/${name}`}`;

export const microTime = (ms = Date.now()) => new Date(ms).toISOString().replace('Z', '000Z');

export const leaseOf = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { holderIdentity: `${name}-holder`, leaseDurationSeconds: 15, renewTime: microTime(), ...spec },
});

/** Sent as admin. */
export async function send(url: string, path: string, method: string, body: object): Promise<void> {
  const headers: Record<string, string> = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
  const { status, text } = await ask(`${url}${path}`, { method, body, headers });
  expect([status < 300, path, text.slice(0, 300)]).toEqual([true, path, text.slice(0, 300)]);
}

/** The spec of a lease as stored by the server. */
export async function specOf(url: string, namespace: string, name: string): Promise<Record<string, unknown>> {
  const { text } = await ask(`${url}${leases(namespace, name)}`);
  return (JSON.parse(text) as { spec: Record<string, unknown> }).spec;
}

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

/** Renews them in turn, as fast as the server responds, until the signal aborts; returns the number of renewals. */
export async function renewMany(url: string, namespace: string, count: number, signal: AbortSignal): Promise<number> {
  const client = new Http2Client(url);
  const headers = { 'content-type': 'application/merge-patch+json' };
  let next = 0;
  const one = async () => {
    while (!signal.aborted) {
      const path = leases(namespace, manyName(next++ % count));
      await client.ask(path, { method: 'PATCH', headers, body: { spec: { renewTime: microTime() } } });
    }
  };
  await Promise.all(Array.from({ length: 32 }, one));
  client.session.close();
  return next;
}
