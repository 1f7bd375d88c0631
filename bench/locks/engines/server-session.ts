import { LeaseClient } from '../../load/lease-client.js';
import type { Target } from '../../load/generator.js';
import type { LockSession } from '../lock-engine.js';
import { TTL_SECONDS } from '../lock-load.js';

/** PUT and DELETE of `leases/NAME/lock`, over a connection of its own. */
export class ServerSession implements LockSession {
  readonly #client: LeaseClient;
  readonly #holder: string;

  constructor(target: Target, holder: string) {
    this.#client = new LeaseClient(target, 1);
    this.#holder = holder;
  }

  acquire(lock: string): Promise<boolean> {
    return this.#send('PUT', lock, `&duration=${TTL_SECONDS}s`);
  }

  readonly renew = (lock: string): Promise<boolean> => this.acquire(lock);

  release(lock: string): Promise<boolean> {
    return this.#send('DELETE', lock);
  }

  close(): Promise<void> {
    this.#client.close();
    return Promise.resolve();
  }

  async #send(method: string, lock: string, more = ''): Promise<boolean> {
    const { status, body } = await this.#client.send(method, `/${lock}/lock?holder=${this.#holder}${more}`);
    if (status !== 200 && status !== 423) throw new Error(`${method} ${lock}: ${status} ${body.toString().slice(0, 300)}`);
    return status === 200;
  }
}
