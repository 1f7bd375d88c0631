import { ATTACKED_NAMESPACE, leasesOf, TENANT_TOKEN } from '../../attack/identities.js';
import { LeaseSession } from '../../load/lease-session.js';

/** A lease with nearly as many values as one may have. */
export const LARGE_LEASE = 'large';

/** With fields of two managers, 9,900 values in all. */
export async function createLargeLease(url: string): Promise<void> {
  using tenant = new LeaseSession(url, TENANT_TOKEN);
  const numbered = (count: number, text: string) => Array.from({ length: count }, (_, at) => `${text}${at}`);
  const valued = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, 'v']));
  const metadata = { name: LARGE_LEASE, labels: valued(numbered(2000, 'k')), finalizers: numbered(2000, 'example.com/') };
  const path = leasesOf(ATTACKED_NAMESPACE);
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata };
  const more = { metadata: { annotations: valued(numbered(900, 'a')) } };
  const answers = [
    await tenant.send('POST', path, JSON.stringify(lease)),
    await tenant.send('PATCH', `${path}/${LARGE_LEASE}?fieldManager=other`, JSON.stringify(more)),
  ];
  const refusal = answers.find(({ status }) => status >= 300 && status !== 409);
  if (refusal) throw new Error(`cannot create a large lease: ${refusal.status} ${refusal.text.slice(0, 300)}`);
}
