import type { HttpAdapterHost } from '@nestjs/core';
import { IsDefined, validateSync } from 'class-validator';
import { badRequest } from '../../apimachinery/errors/status-errors.js';
import { parseGoDuration } from '../../apimachinery/go/go-duration.js';
import type { ApiAdapter } from '../../endpoints/http-server/api-adapter.js';
import type { RequestsInFlight } from '../../endpoints/request/requests-in-flight.js';
import type { MemorySnapshot } from '../../storage/memory/memory-store.js';
import type { MemoryStorage } from '../../storage/open-memory-storage.js';
import type { ServerTime, TestDuration } from '../test-server.js';
import type { TestTime } from '../test-time.js';

const LONGEST_LATENCY_MS = 60_000;

export class StoreLatency {
  @IsDefined({ message: 'latency is missing: how long each write takes, such as 50ms' })
  latency!: TestDuration;
}

/** Orders about what is stored. */
export class StateOrders {
  readonly #storage: MemoryStorage;
  readonly #latency: { ms: number };
  #snapshot: MemorySnapshot;

  /** `latency` is read by the store, before each write. */
  constructor(storage: MemoryStorage, latency: { ms: number }) {
    this.#storage = storage;
    this.#latency = latency;
    this.#snapshot = storage.memory.snapshot();
  }

  slow({ latency }: StoreLatency): void {
    this.#latency.ms = durationOf('latency', latency, LONGEST_LATENCY_MS);
  }

  snapshot(): void {
    this.#snapshot = this.#storage.memory.snapshot();
  }

  restore(): void {
    this.#latency.ms = 0;
    this.#storage.announcements.clear();
    this.#storage.memory.restore(this.#snapshot);
  }
}

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

const LONGEST_MOVE_MS = 24 * 3_600_000;

export class ClockMove {
  @IsDefined({ message: 'by is missing: how far to move the clock, such as 20s' })
  by!: TestDuration;
}

/** Orders about the server's time. */
export class ClockOrders {
  readonly #time: TestTime;
  #moving: Promise<unknown> = Promise.resolve();

  constructor(time: TestTime) {
    this.#time = time;
  }

  /** One after the other, in the order of the calls. */
  async move({ by }: ClockMove): Promise<ServerTime> {
    const ms = durationOf('by', by, LONGEST_MOVE_MS);
    this.#moving = this.#moving.then(() => this.#time.move(ms));
    await this.#moving;
    return { now: new Date(this.#time.clock()).toISOString(), ahead: Math.round(this.#time.ahead) };
  }
}

/** The value of an order as an instance of its class. Throws a 400 that names what is wrong. */
export function checked<T extends object>(type: new () => T, value: unknown): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw badRequest('the body must be a JSON object');
  const instance = Object.assign(new type(), value);
  const [wrong] = validateSync(instance, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false });
  if (wrong) throw badRequest(Object.values(wrong.constraints ?? {}).join(', '));
  return instance;
}

/** In milliseconds. Throws a 400 that names the field. */
export function durationOf(field: string, value: TestDuration, maxMs: number): number {
  if (typeof value !== 'number' && typeof value !== 'string') throw badRequest(`${field} must be a duration such as 20s, or milliseconds`);
  const ms = typeof value === 'number' ? value : parseGoDuration(value);
  if (typeof ms !== 'number') throw badRequest(`${field}: ${ms.error}`);
  if (!(ms >= 0 && ms <= maxMs)) throw badRequest(`${field} must be from 0 to ${maxMs / 1000}s`);
  return ms;
}
