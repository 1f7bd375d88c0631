import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { MetricText, ServerMetrics } from '../../telemetry/metrics/metric-registry.js';
import type { RunningServer } from '../process/start-replica.js';
import { RestartDelay } from '../../time/restart-delay.js';
import { FINISHED, WorkerProcess } from './worker-process.js';
import type { StartMessage } from './worker-messages.js';

export interface WorkerPoolOptions {
  readonly count: number;
  /** The message that starts a worker; `port` is absent for the first. */
  readonly startMessage: (id: number, port?: number) => StartMessage;
  readonly logger: Logger;
  readonly now: () => number;
  /** No worker serves and none can start; the reason in one line. */
  readonly onFailure: (reason: string) => void;
}

/** Keeps a number of workers running on one port. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  /** Workers still running. */
  readonly #workers = new Set<WorkerProcess>();
  readonly #serving = new Set<WorkerProcess>();
  readonly #keepers: Promise<void>[] = [];
  readonly #stopping = new AbortController();

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /**
   * Resolves once all serve. The first worker starts alone: it does what needs doing once, and errors are reported once. Rejects with the
   * reason if one cannot start; the others run until `stop`.
   */
  async start(): Promise<RunningServer> {
    const first = this.#launch(1);
    const server = await first.serving;
    const others = Array.from({ length: this.#options.count - 1 }, (_, at) => this.#launch(at + 2, server.port));
    await Promise.all(others.map((worker) => worker.serving));
    for (const worker of [first, ...others]) this.#keepers.push(this.#keep(worker, server.port));
    return server;
  }

  /** Resolves once all have finished their requests and exited. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const worker of this.#workers) worker.stop();
    await Promise.all([...this.#workers].map((worker) => worker.ended));
    await Promise.all(this.#keepers);
  }

  kill(): void {
    this.#stopping.abort();
    for (const worker of this.#workers) worker.kill();
  }

  #launch(id: number, port?: number): WorkerProcess {
    const worker: WorkerProcess = new WorkerProcess(this.#options.startMessage(id, port), (registry) => this.#metricsBut(worker, registry));
    this.#workers.add(worker);
    void worker.ended.then(() => {
      this.#workers.delete(worker);
      this.#serving.delete(worker);
    });
    void worker.serving.then(
      () => this.#serving.add(worker),
      () => undefined,
    );
    // It was started while all others were being stopped.
    if (this.#stopping.signal.aborted) worker.stop();
    return worker;
  }

  /** Replaces a worker whenever it exits, until all are stopped. */
  async #keep(first: WorkerProcess, port: number): Promise<void> {
    const { logger, now } = this.#options;
    const delay = new RestartDelay();
    for (let worker = first; ; worker = this.#launch(first.id, port)) {
      const began = now();
      const reason = await this.#lasts(worker);
      if (this.#stopping.signal.aborted) return;
      const restartInMs = delay.after(now() - began);
      const fields = { worker: worker.id, workerPid: worker.pid, reason, restartInMs };
      // The worker was stopped on purpose, by a signal.
      if (reason === FINISHED) logger.info(fields, 'a worker stopped and is being replaced');
      else logger.error(fields, 'a worker exited and is being replaced');
      await sleep(restartInMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      if (this.#stopping.signal.aborted) return;
    }
  }

  /** Resolves with the reason once the worker is gone. */
  async #lasts(worker: WorkerProcess): Promise<string> {
    try {
      await worker.serving;
      return await worker.ended;
    } catch (error) {
      const reason = (error as Error).message;
      if (this.#serving.size === 0 && !this.#stopping.signal.aborted) this.#options.onFailure(reason);
      return reason;
    }
  }

  async #metricsBut(asking: WorkerProcess, registry: keyof ServerMetrics): Promise<readonly MetricText[]> {
    const others = [...this.#serving].filter((worker) => worker !== asking).sort((one, other) => one.id - other.id);
    return (await Promise.all(others.map((worker) => worker.tellMetrics(registry)))).flat();
  }
}
