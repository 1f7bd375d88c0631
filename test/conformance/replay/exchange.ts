import https from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';
import zlib from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeBody } from './encode-body.js';
import { layoutOf } from './refine.js';
import type { Answer, Step, Target } from './recording.js';
import type { Variables } from './variables.js';
import { fill } from './variables.js';

const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });

/** Sends the request of a step; the callback is called once, with an answer's head or an error. */
function send(
  target: Target,
  step: Step,
  variables: Variables,
  stream: boolean,
): Promise<{ request: ClientRequest; response: IncomingMessage }> {
  const headers: Record<string, string | string[] | number> = { accept: 'application/json', 'user-agent': 'conformance/1.0' };
  for (const [name, value] of Object.entries(step.headers ?? {})) {
    headers[name.toLowerCase()] = Array.isArray(value) ? value.map((one) => fill(one, variables)) : fill(value, variables);
  }
  for (const [name, value] of Object.entries(headers)) if (value === '') delete headers[name];
  const token = target.identities[step.as ?? 'admin']?.token;
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
  const body = encodeBody(step, variables);
  if (body !== undefined) {
    if (body.contentType !== undefined && !('Content-Type' in (step.headers ?? {}))) headers['content-type'] ??= body.contentType;
    headers['content-length'] = body.bytes.length;
  }
  return new Promise((resolve, reject) => {
    const request = https.request(new URL(target.baseUrl + fill(step.path ?? '/', variables)), {
      method: step.method ?? 'GET',
      headers,
      agent: stream ? undefined : agent,
      rejectUnauthorized: false,
    });
    request.on('response', (response) => resolve({ request, response }));
    request.on('error', reject);
    request.setTimeout(stream ? 120_000 : (step.timeoutMs ?? 70_000), () => request.destroy(new Error('client timeout')));
    request.end(body?.bytes);
  });
}

const COMPARED_HEADERS = ['content-type', 'warning', 'retry-after', 'allow', 'location', 'vary', 'cache-control', 'content-encoding'];

/** One request and its whole answer. */
export async function exchange(target: Target, step: Step, variables: Variables): Promise<Answer> {
  const { response } = await send(target, step, variables, false);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return answerOf(response, Buffer.concat(chunks), step);
}

function answerOf(response: IncomingMessage, sent: Buffer, step: Step): Answer {
  const headers: Record<string, unknown> = {};
  for (const name of [...COMPARED_HEADERS, ...(step.alsoHeaders ?? [])]) {
    if (response.headers[name] !== undefined) headers[name] = response.headers[name];
  }
  const bytes = response.headers['content-encoding'] === 'gzip' ? zlib.gunzipSync(sent) : sent;
  const answer: Answer = { status: response.statusCode, headers, body: bodyOf(bytes, response.headers['content-type'] ?? '', step) };
  if (step.layout) answer['layout'] = layoutOf(bytes.toString('utf8'));
  if (step.present) answer['present'] = Object.fromEntries(step.present.map((name) => [name, response.headers[name] !== undefined]));
  return answer;
}

function bodyOf(bytes: Buffer, contentType: string, step: Step): unknown {
  if (contentType.includes('json') && !step.raw) return parsed(bytes.toString('utf8'));
  return /protobuf|cbor|octet/.test(contentType) ? { base64: bytes.toString('base64') } : bytes.toString('utf8');
}

/** JSON, or the text itself where it is none (a stream, a plain answer). */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A watch that runs beside the steps and keeps what it has seen until `collect` takes it. */
export class RunningWatch {
  readonly #events: unknown[] = [];
  readonly #step: Step;
  #rest = '';
  #done = false;
  #error: string | undefined;
  #request: ClientRequest | undefined;
  #response: IncomingMessage | undefined;

  private constructor(step: Step) {
    this.#step = step;
  }

  /** Resolves when the head of the answer is there, or after 1.5 s: a server may hold it back until there is something to send. */
  static async open(target: Target, step: Step, variables: Variables): Promise<RunningWatch> {
    const watch = new RunningWatch(step);
    const opened = send(target, step, variables, true).then(
      ({ request, response }) => watch.#follow(request, response),
      (error: Error) => watch.#end(error.message),
    );
    await Promise.race([opened, sleep(1500)]);
    return watch;
  }

  #follow(request: ClientRequest, response: IncomingMessage): void {
    this.#request = request;
    this.#response = response;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => this.#take(chunk));
    response.on('end', () => this.#end());
    response.on('error', () => this.#end());
  }

  #take(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '' && !this.#isSkippedBookmark(line)) this.#events.push(parsed(line));
  }

  #isSkippedBookmark(line: string): boolean {
    return this.#step.bookmarks === 'initial' && /"type":\s*"BOOKMARK"/.test(line) && !line.includes('k8s.io/initial-events-end');
  }

  #end(error?: string): void {
    this.#done = true;
    this.#error = error;
    if (this.#rest.trim() !== '') this.#events.push(parsed(this.#rest));
    this.#rest = '';
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
