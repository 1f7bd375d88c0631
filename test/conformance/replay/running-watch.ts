import type { ClientRequest, IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { send } from './exchange.js';
import type { Answer, Step, Target } from './recording.js';
import type { Variables } from './variables.js';
import { type EventFrames, eventFrames } from './wire/event-frames.js';

/** A watch that runs beside the steps and keeps its events until `collect` takes them. */
export class RunningWatch {
  readonly #events: unknown[] = [];
  readonly #step: Step;
  #done = false;
  #error: string | undefined;
  #request: ClientRequest | undefined;
  #response: IncomingMessage | undefined;

  private constructor(step: Step) {
    this.#step = step;
  }

  /** Resolves when the head of the response has arrived, or after 1.5 s: a server may hold it back until there is something to send. */
  static async open(target: Target, step: Step, variables: Variables): Promise<RunningWatch> {
    const watch = new RunningWatch(step);
    const opened = send(target, step, variables, true).then(
      ({ request, response }) => watch.#follow(request, response),
      (error: Error) => watch.#fail(error),
    );
    await Promise.race([opened, sleep(1500)]);
    return watch;
  }

  #follow(request: ClientRequest, response: IncomingMessage): void {
    this.#request = request;
    this.#response = response;
    const contentType = response.statusCode === 200 ? (response.headers['content-type'] ?? '') : '';
    const frames = eventFrames(contentType, (line) => this.#isSkippedBookmark(line));
    response.on('data', (chunk: Buffer) => this.#events.push(...frames.take(chunk)));
    response.on('end', () => this.#end(frames));
    response.on('error', () => this.#end(frames));
  }

  /** With `bookmarks: initial`, bookmarks that come at times of the server's choice are skipped. */
  #isSkippedBookmark(line: string): boolean {
    return this.#step.bookmarks === 'initial' && /"type":\s*"BOOKMARK"/.test(line) && !line.includes('k8s.io/initial-events-end');
  }

  #end(frames: EventFrames): void {
    if (!this.#done) this.#events.push(...frames.end());
    this.#done = true;
  }

  #fail(error: Error): void {
    this.#done = true;
    this.#error = error.message;
  }

  async collect(step: Step): Promise<Answer> {
    const until = Date.now() + (step.timeoutMs ?? 3000);
    while (!this.#done && (step.count === undefined || this.#events.length < step.count) && Date.now() < until) await sleep(10);
    if (step.settleMs !== undefined) await sleep(step.settleMs);
    const events = this.#events.splice(0, step.count !== undefined && !step.all ? step.count : this.#events.length);
    const answer: Answer = { status: this.#response?.statusCode, contentType: this.#response?.headers['content-type'], events };
    if (step.closed) answer['closed'] = this.#done;
    if (step.close !== false) this.stop();
    if (this.#error !== undefined) answer.error = this.#error;
    return answer;
  }

  stop(): void {
    this.#request?.destroy();
  }
}
