import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { linesOf } from '../../apimachinery/codec/lines-of.js';
import { IS_EXECUTABLE, PROGRAM_FILE } from '../../settings/program-files.js';
import { StartError } from '../../settings/start-error.js';
import type { MetricText, ServerMetrics } from '../../telemetry/metrics/metric-registry.js';
import { RestartDelay } from '../../time/backoff.js';
import type { RunningServer } from '../process/start-replica.js';
import { type FromWorker, type StartMessage, type ToWorker, MetricsExchange, WORKER } from './worker-messages.js';

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

/** Less than a scrape's timeout. */
const METRICS_TIMEOUT_MS = 2000;

/** How a worker ended that had a signal of its own: with exit code 0. */
const FINISHED = 'it has finished its requests';

/** A serving child process, from the supervisor's side. */
class WorkerProcess {
  readonly id: number;
  /** Resolves once the worker serves. StartError, with its one-line reason, if it exits first. */
  readonly serving: Promise<RunningServer>;
  /** Resolves, with the way it ended, once the process is gone and its output is read. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #metrics: MetricsExchange;

  /** `tellOthers`: returns the other workers' metrics, for this worker's clients. */
  constructor(start: StartMessage, tellOthers: (registry: keyof ServerMetrics) => Promise<readonly MetricText[]>) {
    this.id = start.id;
    // Its log goes straight to stderr, in whole lines. Its stdout is passed through here, so that audit events of several workers do not
    // interleave.
    const options: ForkOptions = { serialization: 'advanced', stdio: ['ignore', 'pipe', 'inherit', 'ipc'] };
    // An executable has its flags of Node inside, and takes all arguments for the program's.
    const child = IS_EXECUTABLE ? fork(WORKER, [], { ...options, execArgv: [] }) : fork(PROGRAM_FILE, [WORKER], options);
    this.#child = child;
    if (child.stdout) void passOn(child.stdout);
    this.#metrics = new MetricsExchange({ send: (message) => this.#send(message), tell: tellOthers, timeoutMs: METRICS_TIMEOUT_MS });
    this.ended = new Promise((resolve) => {
      child.on('error', (error) => resolve(error.message));
      child.once('close', (code, signal) => resolve(signal ?? (code === 0 ? FINISHED : `code ${code}`)));
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

  /** Asks the worker to finish its requests and exit. */
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
      void this.ended.then((how) => reject(new StartError(failure ?? `a worker exited (${how}) before it was ready`)));
    });
  }

  /** A message that does not arrive was for a worker that has exited, which `ended` reports. */
  #send(message: ToWorker): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }
}

/** Ends with the output; how the worker ended is told by `ended`. */
async function passOn(output: Readable): Promise<void> {
  try {
    for await (const line of linesOf(output)) process.stdout.write(`${line}\n`);
  } catch (error) {
    process.stderr.write(`cannot read a worker's output: ${(error as Error).message}\n`);
  }
}
