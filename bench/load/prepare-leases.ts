import type { LeaseClient } from './lease-client.js';
import { leaseName } from './generator.js';

const AT_ONCE = 64;

export function createNamespace(client: LeaseClient, name: string): Promise<void> {
  return client.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}

/** Creates the first `count` leases where they are missing; returns their versions. */
export async function prepareLeases(client: LeaseClient, count: number): Promise<string[]> {
  const versions = new Array<string>(count);
  let next = 0;
  const one = async () => {
    for (let index = next++; index < count; index = next++) versions[index] = await prepareLease(client, leaseName(index));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return versions;
}

async function prepareLease(client: LeaseClient, name: string): Promise<string> {
  const created = await client.send('POST', '', client.wire.encode(name, ''));
  const answer = created.status === 409 ? await client.send('GET', `/${name}`) : created;
  if (answer.status > 299) throw new Error(`cannot create ${name}: ${answer.status} ${answer.body.toString().slice(0, 300)}`);
  return client.wire.versionOf(answer.body);
}
