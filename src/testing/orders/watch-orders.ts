import type { HttpAdapterHost } from '@nestjs/core';
import type { ApiAdapter } from '../../endpoints/http-server/api-adapter.js';
import type { RequestsInFlight } from '../../endpoints/request/requests-in-flight.js';
import type { MemoryStorage } from '../../storage/open-memory-storage.js';

/** Orders about watches and connections. */
export class WatchOrders {
  readonly #storage: MemoryStorage;
  readonly #inFlight: RequestsInFlight;
  readonly #host: HttpAdapterHost<ApiAdapter>;

  /** The adapter is there once the application is. */
  constructor(storage: MemoryStorage, inFlight: RequestsInFlight, host: HttpAdapterHost<ApiAdapter>) {
    this.#storage = storage;
    this.#inFlight = inFlight;
    this.#host = host;
  }

  drop(): void {
    this.#inFlight.endStreams();
  }

  expireHistory(): void {
    this.#storage.cache.forgetHistory(this.#storage.memory.forgetHistory());
  }

  goaway(): void {
    this.#host.httpAdapter.leaveConnections();
  }
}
