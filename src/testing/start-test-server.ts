import { generateKeyPairSync } from 'node:crypto';
import { type DynamicModule, Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { LeaseModule, LeaseStore } from '../apis/coordination/lease/lease.module.js';
import { AppModule, NEST_OPTIONS } from '../app.module.js';
import { Access } from '../auth/access.js';
import { type AuthenticationRequest, type Authenticator, AUTHENTICATOR } from '../auth/authentication/authenticator.js';
import { EndpointsModule } from '../endpoints/endpoints.module.js';
import { ApiAdapter } from '../endpoints/http-server/api-adapter.js';
import { RequestLimiting } from '../endpoints/pipeline/serving-filters.js';
import { ApiRequest } from '../endpoints/request/api-request.js';
import type { UserInfo } from '../registry/resource/request-context.js';
import { loadConfig } from '../server/config/load-config.js';
import type { ProcessSettings } from '../server/config/process.settings.js';
import { localUrl } from '../server/config/server-address.js';
import type { ServerSettings } from '../server/config/server-settings.js';
import type { HttpApplication } from '../server/process/http-application.js';
import { startApi } from '../server/process/start-api.js';
import { collectProcessMetrics } from '../server/process/start-replica.js';
import { formatKubeconfig } from '../server/tls/admin-kubeconfig.js';
import { servingNames } from '../server/tls/certificate-authority.js';
import { LoadedSecrets } from '../server/tls/load-secrets.js';
import { createServerSecrets } from '../server/tls/server-secrets.js';
import { Lifecycle } from '../settings/lifecycle.js';
import { type MemoryStorage, openMemoryStorage } from '../storage/open-memory-storage.js';
import { DatabaseInUse, Storage } from '../storage/storage.js';
import { CLOCK } from '../telemetry/clock.js';
import { createLogger } from '../telemetry/logger.js';
import { createServerMetrics } from '../telemetry/metrics/metric-registry.js';
import { SCHEDULER, sleep, systemScheduler } from '../time/scheduler.js';
import { type OrderReceivers, ORDERS_PATH, ORDER_RECEIVERS, OrdersController, testOrders } from './orders.controller.js';
import { FaultOrders } from './orders/fault-orders.js';
import { LeaseOrders } from './orders/lease-orders.js';
import { ClockOrders, StateOrders, WatchOrders } from './orders/state-orders.js';
import { SeenRequests } from './seen-requests.js';
import type { TestServer, TestServerOptions } from './test-server.js';
import { TestTime } from './test-time.js';

/** The server itself, with its store in memory and a clock of its own, in this process. Rejects with a StartError for flags that are wrong. */
export async function startTestServer({ port = 0, flags = {} }: TestServerOptions = {}): Promise<TestServer> {
  const given = { 'log-level': 'error', ...flags, 'secure-port': String(port) };
  return startServer(loadConfig({ flags: given, environment: {} }));
}

/** The same, with the settings of a server; those of a database do not matter. */
export async function startServer(given: ServerSettings): Promise<TestServer> {
  const settings = { ...given, bindAddress: given.bindAddress || '127.0.0.1' };
  const { bindAddress } = settings;
  const logger = createLogger(settings);
  const lifecycle = new Lifecycle(logger);
  return lifecycle.start(async () => {
    const time = new TestTime();
    const latency = { ms: 0 };
    const metrics = createServerMetrics();
    collectProcessMetrics(metrics);
    const delay = (): Promise<void> | undefined => (latency.ms > 0 ? sleep(systemScheduler, latency.ms) : undefined);
    const storage = await openMemoryStorage({ scheduler: time, now: time.clock, metrics: metrics.main, delay });
    lifecycle.onStop(() => storage.close());
    const parts = { time, storage, latency, faults: new FaultOrders(), seen: new SeenRequests(time.clock) };
    const secrets = await createTestSecrets(settings);
    const process = { database: { url: '', isEmbedded: true }, lifecycle, logger, metrics };
    const module = await Test.createTestingModule({ imports: [AppModule.of(settings, process, [OrdersModule.of(parts)])] })
      .overrideProvider(DatabaseInUse)
      .useValue(undefined)
      .overrideProvider(Storage)
      .useValue(storage)
      .overrideProvider(LoadedSecrets)
      .useValue(secrets)
      .overrideProvider(CLOCK)
      .useValue(time.clock)
      .overrideProvider(SCHEDULER)
      .useValue(time)
      .overrideProvider(AUTHENTICATOR)
      .useFactory({
        inject: [Access],
        factory: ({ authenticator }: Access) => new GatedAuthenticator(authenticator, parts.faults, parts.seen),
      })
      .compile();
    const adapter = new ApiAdapter(settings, { shutdownGraceMs: 0 });
    const application = module.createNestApplication<NestFastifyApplication>(adapter, NEST_OPTIONS);
    await application.init();
    const api = { config: settings, application: application as HttpApplication, onNewCertificate: () => undefined, worker: undefined };
    const { port, authorityCert: authority } = await startApi(api, lifecycle);
    const url = localUrl(bindAddress, port);
    const orders = testOrders(application.get<OrderReceivers>(ORDER_RECEIVERS));
    await orders.snapshot();
    const token = secrets.adminToken;
    const kubeconfig = formatKubeconfig({ server: url, authorityCert: authority, token });
    return { ...orders, url, port, authority, token, kubeconfig, close: () => lifecycle.stop() };
  });
}

/** Secrets that no file ever contains. The key of tokens is elliptic, since an RSA key takes longer than all the rest of a start. */
async function createTestSecrets({ bindAddress, tlsSan }: ProcessSettings): Promise<LoadedSecrets> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const secrets = await createServerSecrets(servingNames(bindAddress, tlsSan), Date.now());
  return { ...secrets, serviceAccountKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

/** What a test server has in place of the machine's time and a database. */
interface TestParts {
  readonly time: TestTime;
  readonly storage: MemoryStorage;
  /** How much longer each write takes, in milliseconds. */
  readonly latency: { ms: number };
  readonly faults: FaultOrders;
  readonly seen: SeenRequests;
}

/** The orders of tests, in addition to the modules of the server. */
@Module({})
class OrdersModule {
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

/**
 * Authenticates as the server does, and then lets each request wait or fail as a test has ordered. Authentication is the first stage that may
 * wait, and the first that knows the user. Orders themselves pass, so that a test can always resume.
 */
class GatedAuthenticator implements Authenticator {
  readonly #inner: Authenticator;
  readonly #faults: FaultOrders;
  readonly #seen: SeenRequests;

  constructor(inner: Authenticator, faults: FaultOrders, seen: SeenRequests) {
    this.#inner = inner;
    this.#faults = faults;
    this.#seen = seen;
  }

  /** What is no ApiRequest is a request that has waited, and that is authenticated again. */
  authenticate(request: AuthenticationRequest): UserInfo | undefined | Promise<UserInfo | undefined> {
    if (!(request instanceof ApiRequest) || request.url.path.startsWith(ORDERS_PATH)) return this.#inner.authenticate(request);
    return this.#pass(request);
  }

  async #pass(request: ApiRequest): Promise<UserInfo | undefined> {
    let user: UserInfo | undefined;
    try {
      user = await this.#inner.authenticate(request);
    } finally {
      if (!user) this.#seen.add(request, '');
    }
    if (user) await this.#faults.pass(request, this.#seen.add(request, user.name));
    return user;
  }
}
