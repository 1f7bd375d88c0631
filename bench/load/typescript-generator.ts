import type { Figures } from '../measure/figures.js';
import { type ListLoad, type LoadGenerator, type RenewLoad, type Target, type WatchLoad, DEFAULT_CONNECTIONS } from './generator.js';
import { leaseJson } from './lease-json.js';
import type { LeaseWire } from './lease-wire.js';
import { LeaseClient } from './lease-client.js';
import { listLoad } from './list-load.js';
import { renewLoad } from './renew-load.js';
import { watchLoad } from './watch-load.js';

/** Load from this process: useful for a quick look, not for measurements, since it takes about as much CPU as the server. */
export class TypescriptGenerator implements LoadGenerator {
  readonly name = 'TypeScript';
  readonly #wire: LeaseWire;

  constructor(wire: LeaseWire = leaseJson) {
    this.#wire = wire;
  }

  renew(target: Target, load: RenewLoad): Promise<Figures> {
    return this.#with(target, (client) => renewLoad(client, load), load.connections);
  }

  watch(target: Target, load: WatchLoad): Promise<Figures> {
    return this.#with(target, (client) => watchLoad(client, load));
  }

  list(target: Target, load: ListLoad): Promise<Figures> {
    return this.#with(target, (client) => listLoad(client, load));
  }

  async #with(target: Target, load: (client: LeaseClient) => Promise<Figures>, connections = DEFAULT_CONNECTIONS): Promise<Figures> {
    if (target.http1) throw new Error('over HTTP/1.1 only leaseload can measure');
    const client = new LeaseClient(target, connections, this.#wire);
    try {
      return await load(client);
    } finally {
      client.close();
    }
  }
}
