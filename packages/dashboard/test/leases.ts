import { expect } from '@jest/globals';
import { ask } from '../../../test/support/http-client.js';
import { leases } from './lease-objects.js';

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
