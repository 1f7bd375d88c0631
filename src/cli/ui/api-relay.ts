import type { Agent, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { kubeAgent, kubeRequest } from '../../kube/kube-client.js';
import type { KubeTarget } from '../../kube/kube-target.js';

/** The page's request bodies are a few hundred bytes. */
const MAX_BODY = 64 * 1024;
const HEADERS_TIMEOUT_MS = 60_000;
/** Minimum age of credentials before they are read again, so that bad ones do not run a plugin for every request. */
const REREAD_MS = 5000;

const ASKED: readonly string[] = ['accept', 'accept-encoding', 'content-type'];
const ANSWERED: readonly string[] = ['content-type', 'content-encoding', 'content-length', 'date', 'retry-after', 'warning', 'audit-id'];

interface Access {
  readonly target: KubeTarget;
  readonly agent: Agent;
  readonly readAt: number;
}

/** Forwards requests to an API server with the user's credentials and streams the responses. */
export class ApiRelay {
  readonly #readTarget: () => KubeTarget;
  #access: Access;

  /** `readTarget` is called again on a 401, because plugins issue short-lived credentials. */
  constructor(readTarget: () => KubeTarget) {
    this.#readTarget = readTarget;
    this.#access = accessOf(readTarget());
  }

  get server(): string {
    return this.#access.target.server;
  }

  /** Always sends a response. `path` includes the query. */
  async relay(asked: IncomingMessage, path: string, response: ServerResponse): Promise<void> {
    const body = await bodyOf(asked);
    if (body === undefined) return sendStatus(response, 413, 'RequestEntityTooLarge', `the body is longer than ${MAX_BODY} bytes`);
    try {
      let answer = await this.#ask(asked, path, body, response);
      if (answer.statusCode === 401 && this.#reread()) {
        answer.resume();
        answer = await this.#ask(asked, path, body, response);
      }
      response.writeHead(answer.statusCode ?? 502, {
        ...pick(answer.headers, ANSWERED),
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      // A watch must see its headers before the first event.
      response.flushHeaders();
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    } catch (error) {
      sendStatus(response, 502, 'BadGateway', `cannot reach ${this.server}: ${(error as Error).message}`);
    }
  }

  close(): void {
    this.#access.agent.destroy();
  }

  #ask(asked: IncomingMessage, path: string, body: Buffer, response: ServerResponse): Promise<IncomingMessage> {
    const { target, agent } = this.#access;
    const headers: OutgoingHttpHeaders = {
      ...pick(asked.headers, ASKED),
      'user-agent': 'coordination-apiserver-ui',
      ...(body.length === 0 ? {} : { 'content-length': body.length }),
    };
    return new Promise((resolve, reject) => {
      const sent = kubeRequest(target, path, { method: asked.method, agent, headers });
      const timer = setTimeout(() => sent.destroy(new Error(`no answer within ${HEADERS_TIMEOUT_MS} ms`)), HEADERS_TIMEOUT_MS);
      sent.on('response', (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      sent.on('error', (error) => {
        clearTimeout(timer);
        reject(error);
      });
      // A client that left cancels the forwarded request; this ends watches.
      response.on('close', () => sent.destroy());
      sent.end(body);
    });
  }

  #reread(): boolean {
    if (Date.now() - this.#access.readAt < REREAD_MS) return false;
    const before = this.#access;
    this.#access = accessOf(this.#readTarget());
    before.agent.destroy();
    return true;
  }
}

function accessOf(target: KubeTarget): Access {
  return { target, agent: kubeAgent(target), readAt: Date.now() };
}

/** Sends a Status, which the page understands. */
export function sendStatus(response: ServerResponse, code: number, reason: string, message: string): void {
  if (response.headersSent) return void response.destroy();
  const body = JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code });
  response.writeHead(code, { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  response.end(body);
}

/** Resolves with the body, or undefined if it is too long; the rest is not read. */
async function bodyOf(asked: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of asked as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function pick(headers: IncomingMessage['headers'], names: readonly string[]): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name, value]) => names.includes(name) && value !== undefined));
}
