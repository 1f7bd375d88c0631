import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { MetricText, ServerMetrics } from '../../telemetry/metrics/metric-registry.js';
import type { RunningServer } from '../lifecycle/start-replica.js';
import { StartError } from '../start-error.js';
import { MetricsExchange } from './metrics-exchange.js';
import type { FromWorker, StartMessage, ToWorker } from './worker-messages.js';

const PROGRAM = path.join(import.meta.dirname, '../../worker.js');
/** Less than a scrape waits. */
const METRICS_TIMEOUT_MS = 2000;

/** One child process that serves, as its supervisor sees it. */
export class WorkerProcess {
  readonly id: number;
  /** Resolves when it serves. StartError, with its reason in one line, when it ends before. */
  readonly serving: Promise<RunningServer>;
  /** Resolves, with how it ended, when it is gone and all its output is read. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #metrics: MetricsExchange;

  /** `tellOthers`: what the other workers' metrics are, for this one's clients. */
  constructor(start: StartMessage, tellOthers: (registry: keyof ServerMetrics) => Promise<readonly MetricText[]>) {
    this.id = start.id;
    // Its log goes straight to stderr, in whole lines. What stdout is given, it is given here: audit events must not cut each other up.
    const child = fork(PROGRAM, [], { serialization: 'advanced', stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    this.#child = child;
    if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => process.stdout.write(`${line}\n`));
    this.#metrics = new MetricsExchange({ send: (message) => this.#send(message), tell: tellOthers, timeoutMs: METRICS_TIMEOUT_MS });
    this.ended = new Promise((resolve) => {
      child.on('error', (error) => resolve(error.message));
      child.once('close', (code, signal) => resolve(signal ?? `code ${code}`));
    });
    void this.ended.then(() => this.#metrics.close());
    this.serving = this.#serves();
    this.serving.catch(() => undefined);
    this.#send(start);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  tellMetrics(registry: keyof ServerMetrics): Promise<readonly MetricText[]> {
    return this.#metrics.ask(registry);
  }

  /** Asks it to finish what is under way and to end. */
  stop(): void {
    this.#send({ type: 'stop' });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #serves(): Promise<RunningServer> {
    let failure: string | undefined;
    return new Promise((resolve, reject) => {
      this.#child.on('message', (message: FromWorker) => {
        if (message.type === 'serving') resolve(message.server);
        else if (message.type === 'failed') failure = message.reason;
        else this.#metrics.receive(message);
      });
      void this.ended.then((how) => reject(new StartError(failure ?? `a worker ended (${how}) before it served`)));
    });
  }

  /** What does not arrive was for one that has ended, which `ended` tells. */
  #send(message: ToWorker): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }
}
