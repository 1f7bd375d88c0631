import type { Logger } from 'pino';
import { Lifecycle } from '../../settings/lifecycle.js';
import { StartError } from '../../settings/start-error.js';
import { createLogger } from '../../telemetry/logger.js';
import { type ServerMetrics, MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import type { LoadHttpApplication } from '../process/http-application.js';
import { startReplica } from '../process/start-replica.js';
import { withinDeadline } from '../process/stop-signals.js';
import { type FromWorker, type StartMessage, type ToWorker, MetricsExchange } from './worker-messages.js';

/** More than the supervisor needs to ask all other workers. */
const METRICS_TIMEOUT_MS = 3000;

/** A worker process from the inside; one of several that share a port. It exits the process when done. */
class Worker {
  readonly #start: StartMessage;
  readonly #loadApplication: LoadHttpApplication;
  readonly #logger: Logger;
  readonly #lifecycle: Lifecycle;
  readonly #exchange: MetricsExchange;
  readonly #metrics: ServerMetrics;
  #stopping = false;

  constructor(start: StartMessage, loadApplication: LoadHttpApplication) {
    this.#start = start;
    this.#loadApplication = loadApplication;
    this.#logger = createLogger(start.config).child({ worker: start.id });
    this.#lifecycle = new Lifecycle(this.#logger);
    this.#exchange = new MetricsExchange({ send, tell: (registry) => this.#metrics[registry].own(), timeoutMs: METRICS_TIMEOUT_MS });
    this.#metrics = { main: this.#registry('main'), slis: this.#registry('slis') };
  }

  /** Starts, and reports the outcome to the supervisor. */
  async run(): Promise<void> {
    const { id, config, database } = this.#start;
    const options = {
      config,
      loadApplication: this.#loadApplication,
      startDatabase: () => Promise.resolve(database),
      logger: this.#logger,
      worker: { id, metrics: this.#metrics },
    };
    try {
      const server = await this.#lifecycle.start(() => startReplica(options, this.#lifecycle));
      send({ type: 'serving', server });
    } catch (error) {
      // If the start failed because of the stop, that is not an error.
      if (!this.#stopping) this.#giveUp(error as Error);
    }
  }

  receive(message: ToWorker): void {
    if (message.type === 'stop') this.stop('the supervisor is stopping');
    else if (message.type !== 'start') this.#exchange.receive(message);
  }

  /** Finishes requests in progress and exits; further calls have no effect. */
  stop(reason: string): void {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#logger.info({ reason }, 'stopping');
    const late = (): never => {
      this.#logger.error('the server did not stop in time');
      process.exit(1);
    };
    void withinDeadline(this.#lifecycle.stop(), late).then(() => process.exit(0));
  }

  /** Ends the process after an unexpected error. */
  fail(error: unknown): never {
    this.#logger.fatal({ err: error }, 'unexpected error');
    process.exit(1);
  }

  #giveUp(error: Error): void {
    if (!(error instanceof StartError)) this.#logger.fatal({ err: error }, 'unexpected error while starting');
    send({ type: 'failed', reason: error.message }, () => process.exit(1));
  }

  #registry(name: keyof ServerMetrics): MetricRegistry {
    return new MetricRegistry({ labels: { worker: String(this.#start.id) }, others: () => this.#exchange.ask(name) });
  }
}

/** Sends a message. One that does not arrive was for a supervisor that is gone, and that ends this process anyway. */
function send(message: FromWorker, done: () => void = () => undefined): void {
  if (process.connected) process.send?.(message, undefined, undefined, done);
  else done();
}

/** Connects this process to its supervisor, which sends its tasks as messages. */
export function runWorker(loadApplication: LoadHttpApplication): void {
  if (!process.connected) {
    process.stderr.write('error: workers are started by coordination-apiserver serve --workers\n');
    process.exit(1);
  }
  const endUnstarted = (): never => process.exit(0);
  process.once('disconnect', endUnstarted);
  process.once('message', (start: StartMessage) => {
    process.off('disconnect', endUnstarted);
    const worker = new Worker(start, loadApplication);
    process.on('message', (message: ToWorker) => worker.receive(message));
    // No supervisor would replace this process, and it would keep the port from later servers.
    process.once('disconnect', () => worker.stop('the supervisor has exited'));
    // A terminal sends its signals to all processes; a worker that alone receives one exits and is replaced.
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => worker.stop(name));
    process.on('unhandledRejection', (error) => worker.fail(error));
    process.on('uncaughtException', (error) => worker.fail(error));
    // The supervisor may be gone; writing then fails, which needs no handling.
    process.stdout.on('error', () => undefined);
    void worker.run();
  });
}
