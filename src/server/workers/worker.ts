import type { Logger } from 'pino';
import { createLogger } from '../../telemetry/logger.js';
import { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import type { ServerMetrics } from '../../telemetry/metrics/metric-registry.js';
import type { LoadHttpApplication } from '../lifecycle/http-application.js';
import { Lifecycle } from '../lifecycle/lifecycle.js';
import { startReplica } from '../lifecycle/start-replica.js';
import { withinDeadline } from '../lifecycle/stop-deadline.js';
import { StartError } from '../start-error.js';
import { MetricsExchange } from './metrics-exchange.js';
import type { FromWorker, StartMessage, ToWorker } from './worker-messages.js';

/** More than the supervisor takes to ask all the others. */
const METRICS_TIMEOUT_MS = 3000;

/** One of several processes that serve at one port, from the inside. It ends its process. */
export class Worker {
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

  /** Starts, and tells the supervisor what came of it. */
  async run(): Promise<void> {
    const { id, config, database } = this.#start;
    const options = {
      config,
      environment: process.env,
      loadApplication: this.#loadApplication,
      startDatabase: () => Promise.resolve(database),
      logger: this.#logger,
      worker: { id, metrics: this.#metrics },
    };
    try {
      const server = await this.#lifecycle.start(() => startReplica(options, this.#lifecycle));
      send({ type: 'serving', server });
    } catch (error) {
      // What a stop took away from under a start is no error of its own.
      if (!this.#stopping) this.#giveUp(error as Error);
    }
  }

  receive(message: ToWorker): void {
    if (message.type === 'stop') this.stop('the supervisor stops');
    else if (message.type !== 'start') this.#exchange.receive(message);
  }

  /** Finishes what is under way and ends; asked again, it goes on with that. */
  stop(reason: string): void {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#logger.info({ reason }, 'stopping');
    const late = (): never => {
      this.#logger.error('it did not stop in time');
      process.exit(1);
    };
    void withinDeadline(this.#lifecycle.stop(), late).then(() => process.exit(0));
  }

  /** After an error that nobody has expected. */
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

/** What does not arrive was for a supervisor that is gone, which ends this process. */
function send(message: FromWorker, done: () => void = () => undefined): void {
  if (process.connected) process.send?.(message, undefined, undefined, done);
  else done();
}
