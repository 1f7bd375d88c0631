import type { LeaseClient } from './lease-client.js';
import { leaseName } from './generator.js';
import { Distribution } from '../measure/distribution.js';

/** Renews leases with the known versions, and records durations. A refused renewal is an error, never retried silently. */
export class Renewer {
  readonly took = new Distribution();
  errors = 0;
  readonly #client: LeaseClient;
  readonly #versions: string[];

  constructor(client: LeaseClient, versions: string[]) {
    this.#client = client;
    this.#versions = versions;
  }

  /** `since` is the intended time of sending, for paced loads. */
  async renew(index: number, since = performance.now()): Promise<void> {
    const { wire } = this.#client;
    const name = leaseName(index);
    const answer = await this.#client.send('PUT', `/${name}`, wire.encode(name, this.#versions[index] ?? ''));
    if (answer.status === 200) this.took.add(performance.now() - since);
    else this.errors++;
    const seen = answer.status === 200 ? answer : await this.#client.send('GET', `/${name}`);
    this.#versions[index] = wire.versionOf(seen.body);
  }
}
