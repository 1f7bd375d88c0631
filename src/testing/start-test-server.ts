import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { AppModule, NEST_OPTIONS } from '../app.module.js';
import { Access } from '../auth/access.js';
import { AUTHENTICATOR } from '../auth/authentication/authenticator.js';
import { ApiAdapter } from '../endpoints/http-server/api-adapter.js';
import { localUrl } from '../server/config/server-address.js';
import type { ServerSettings } from '../server/config/server-settings.js';
import { loadConfig } from '../server/config/load-config.js';
import type { HttpApplication } from '../server/process/http-application.js';
import { collectProcessMetrics } from '../server/process/process-metrics.js';
import { startApi } from '../server/process/start-api.js';
import { formatKubeconfig } from '../server/tls/admin-kubeconfig.js';
import { LoadedSecrets } from '../server/tls/load-secrets.js';
import { Lifecycle } from '../settings/lifecycle.js';
import { openMemoryStorage } from '../storage/open-memory-storage.js';
import { SCHEDULER, sleep, systemScheduler } from '../time/scheduler.js';
import { DatabaseInUse, Storage } from '../storage/storage.js';
import { CLOCK } from '../telemetry/clock.js';
import { createLogger } from '../telemetry/logger.js';
import { createServerMetrics } from '../telemetry/metrics/metric-registry.js';
import { GatedAuthenticator } from './gated-authenticator.js';
import { type OrderReceivers, testOrders } from './order-book.js';
import { ORDER_RECEIVERS } from './orders.controller.js';
import { OrdersModule } from './orders.module.js';
import { FaultOrders } from './orders/fault-orders.js';
import { SeenRequests } from './seen-requests.js';
import type { TestServer, TestServerOptions } from './test-server.js';
import { TestTime } from './test-time.js';
import { generateKeyPairSync } from 'node:crypto';
import type { ProcessSettings } from '../server/config/process.settings.js';
import { servingNames } from '../server/tls/certificate-names.js';
import { createServerSecrets } from '../server/tls/server-secrets.js';

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
