import { LeaseClient } from '../load/lease-client.js';
import { prepareLeases } from '../load/prepare-leases.js';
import type { Trial } from './scenario.js';

const CONNECTIONS = 16;

/** Creates that many leases in the namespace of the load. */
export function fill(leases: number): (trial: Trial) => Promise<void> {
  return async ({ target }) => {
    const client = new LeaseClient(target, CONNECTIONS);
    try {
      await prepareLeases(client, leases);
    } finally {
      client.close();
    }
  };
}
