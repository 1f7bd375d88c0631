import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import type { Readable } from 'node:stream';
import { linesOf } from '../../apimachinery/codec/lines-of.js';
import type { MetricText, ServerMetrics } from '../../telemetry/metrics/metric-registry.js';
import type { RunningServer } from '../process/start-replica.js';
import { IS_EXECUTABLE } from '../../settings/embedded-files.js';
import { PROGRAM_FILE } from '../../settings/program-files.js';
import { StartError } from '../../settings/start-error.js';
import { MetricsExchange } from './metrics-exchange.js';
import { WORKER } from './worker-argument.js';
import type { FromWorker, StartMessage, ToWorker } from './worker-messages.js';

/** Less than a scrape's timeout. */
const METRICS_TIMEOUT_MS = 2000;

/** How a worker ended that had a signal of its own: with exit code 0. */
export const FINISHED = 'it has finished its requests';

/** A serving child process, from the supervisor's side. */
export class WorkerProcess {
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
