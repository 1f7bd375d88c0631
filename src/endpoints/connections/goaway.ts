import type { RawRequest } from '../request/raw-exchange.js';
import type { OpenConnections } from './open-connections.js';

/**
 * `--goaway-chance`: some requests make their HTTP/2 connection the client's last, so that clients of several servers behind a load
 * balancer spread again after one was away (apiserver filters/goaway.go).
 */
export class Goaway {
  readonly #chance: number;
  readonly #connections: OpenConnections;
  readonly #random: () => number;

  constructor(chance: number, connections: OpenConnections, random: () => number = Math.random) {
    this.#chance = chance;
    this.#connections = connections;
    this.#random = random;
  }

  consider(raw: RawRequest): void {
    if (this.#chance > 0 && this.#random() < this.#chance) this.#connections.leave(raw.socket);
  }
}
