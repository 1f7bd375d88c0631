import type { HttpAdapterHost } from '@nestjs/core';
import type { ApiAdapter } from '../../endpoints/http-server/api-adapter.js';
import type { RequestsUnderWay } from '../../endpoints/request/requests-under-way.js';
import type { MemoryStorage } from '../../storage/open-memory-storage.js';

/** Orders about watches and connections. */
export class WatchOrders {
  readonly #storage: MemoryStorage;
  readonly #underWay: RequestsUnderWay;
  readonly #host: HttpAdapterHost<ApiAdapter>;

  /** The adapter is there once the application is. */
  constructor(storage: MemoryStorage, underWay: RequestsUnderWay, host: HttpAdapterHost<ApiAdapter>) {
    this.#storage = storage;
    this.#underWay = underWay;
    this.#host = host;
  }

  drop(): void {
    this.#underWay.endStreams();
  }

  expireHistory(): void {
    this.#storage.cache.forgetHistory(this.#storage.memory.forgetHistory());
  }

  goaway(): void {
    this.#host.httpAdapter.leaveConnections();
  }
}
