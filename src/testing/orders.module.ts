import { type DynamicModule, Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { LeaseModule, LeaseStore } from '../apis/coordination/lease/lease.module.js';
import { EndpointsModule } from '../endpoints/endpoints.module.js';
import type { ApiAdapter } from '../endpoints/http-server/api-adapter.js';
import { RequestLimiting } from '../endpoints/pipeline/serving-filters.js';
import type { MemoryStorage } from '../storage/open-memory-storage.js';
import type { OrderReceivers } from './order-book.js';
import { ORDER_RECEIVERS, OrdersController } from './orders.controller.js';
import { ClockOrders } from './orders/clock-orders.js';
import type { FaultOrders } from './orders/fault-orders.js';
import { LeaseOrders } from './orders/lease-orders.js';
import { StateOrders } from './orders/state-orders.js';
import { WatchOrders } from './orders/watch-orders.js';
import type { SeenRequests } from './seen-requests.js';
import type { TestTime } from './test-time.js';

/** What a test server has in place of the machine's time and a database. */
export interface TestParts {
  readonly time: TestTime;
  readonly storage: MemoryStorage;
  /** How much longer each write takes, in milliseconds. */
  readonly latency: { ms: number };
  readonly faults: FaultOrders;
  readonly seen: SeenRequests;
}

/** The orders of tests, in addition to the modules of the server. */
@Module({})
export class OrdersModule {
  static of({ time, storage, latency, faults, seen }: TestParts): DynamicModule {
    const clock = new ClockOrders(time);
    const receivers = {
      provide: ORDER_RECEIVERS,
      inject: [LeaseStore, RequestLimiting, HttpAdapterHost],
      useFactory: (leases: LeaseStore, { inFlight }: RequestLimiting, host: HttpAdapterHost<ApiAdapter>): OrderReceivers => ({
        ...{ clock, faults, seen },
        leases: new LeaseOrders(leases, storage, time, clock),
        watches: new WatchOrders(storage, inFlight, host),
        state: new StateOrders(storage, latency),
      }),
    };
    return { module: OrdersModule, imports: [EndpointsModule, LeaseModule], controllers: [OrdersController], providers: [receivers] };
  }
}
