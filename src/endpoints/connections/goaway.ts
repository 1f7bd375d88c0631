import type { RawRequest } from '../exchange/raw-exchange.js';
import type { OpenConnections } from './open-connections.js';

/**
 * `--goaway-chance`: after a random part of the requests, a GOAWAY asks the client to use a new connection, so that the clients of several
 * load-balanced servers spread again after one of them was away (apiserver filters/goaway.go).
 */
export class Goaway {
  readonly #chance: number;
  readonly #connections: OpenConnections;

  constructor(chance: number, connections: OpenConnections) {
    this.#chance = chance;
    this.#connections = connections;
  }

  consider(raw: RawRequest): void {
    if (this.#chance > 0 && Math.random() < this.#chance) this.#connections.leave(raw.socket);
  }
}
