import { once } from 'node:events';
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { linesOf } from '../apimachinery/codec/lines-of.js';
import { StartError } from '../settings/start-error.js';
import { kubeAgent, kubeRequest } from './kube-agent.js';
import type { KubeTarget } from './kube-target.js';
import { textWithin } from './text-within.js';

const TIMEOUT_MS = 60_000;
const JSON_TYPE = 'application/json';
const CONNECTIONS = 16;

export interface KubeResponse {
  readonly status: number;
  readonly body: KubeObject;
}

/** A JSON object, as far as copying needs its fields. */
export interface KubeObject {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: KubeMetadata;
  readonly items?: readonly KubeObject[];
  readonly message?: string;
  readonly reason?: string;
  readonly spec?: unknown;
  readonly status?: unknown;
}

interface KubeMetadata {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly unknown[];
  readonly finalizers?: readonly string[];
  readonly deletionTimestamp?: string;
}

/** A server did not answer, or not as a kube-apiserver does. */
export class KubeError extends StartError {
  override readonly name = 'KubeError';
}

export interface KubeClientOptions {
  /** How long the server may be silent. */
  readonly timeoutMs?: number;
  /** Longest body that is read. */
  readonly maxBytes?: number;
}

/** Sends JSON requests to an API server. Resolves with any response; rejects with a KubeError if the server cannot be reached. */
export class KubeClient {
  readonly target: KubeTarget;
  readonly #agent: Agent;
  readonly #timeoutMs: number;
  readonly #maxBytes: number;

  constructor(target: KubeTarget, { timeoutMs = TIMEOUT_MS, maxBytes = Infinity }: KubeClientOptions = {}) {
    this.target = target;
    this.#timeoutMs = timeoutMs;
    this.#maxBytes = maxBytes;
    this.#agent = kubeAgent(target, { maxSockets: CONNECTIONS });
  }

  ask(method: string, path: string, body?: object, contentType = JSON_TYPE): Promise<KubeResponse> {
    const payload = body && JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => reject(this.#unreachable(error));
      const asked = this.#request(method, path, { payload, contentType });
      const giveUp = (): void => void asked.destroy(new Error(`no answer within ${this.#timeoutMs} ms`));
      // Node lets twice its timeout pass for a socket whose TLS handshake the server does not complete.
      const timer = setTimeout(giveUp, this.#timeoutMs);
      asked.on('timeout', giveUp);
      asked.on('close', () => clearTimeout(timer));
      asked.on('error', fail);
      asked.on('response', (response) => {
        clearTimeout(timer);
        this.#read(response).then(resolve, fail);
      });
      asked.end(payload);
    });
  }

  /**
   * Yields the objects of a stream, such as a watch, until it ends or `signal` aborts. Throws a KubeError if it is refused, breaks, or is silent
   * for `silenceMs`.
   */
  async *watch(path: string, { signal, silenceMs }: { signal?: AbortSignal; silenceMs?: number } = {}): AsyncGenerator<KubeObject> {
    const silence = new AbortController();
    const timer = silenceMs === undefined ? undefined : setTimeout(() => silence.abort(), silenceMs).unref();
    const asked = this.#request('GET', path, { signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal });
    asked.end();
    try {
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      const { statusCode: status = 0 } = response;
      if (status !== 200) throw refusal('cannot watch', { status, body: parse(await text(response), true) });
      for await (const line of linesOf(response)) {
        timer?.refresh();
        yield parse(line, false);
      }
    } catch (error) {
      if (!signal?.aborted) throw this.#unreachable(error as Error);
    } finally {
      clearTimeout(timer);
      asked.destroy();
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  async #read(response: IncomingMessage): Promise<KubeResponse> {
    const { statusCode: status = 0 } = response;
    const tooLarge = (): Error => new KubeError(`the response of ${this.target.server} is too large`);
    const isText = response.headers['content-type']?.startsWith('text/plain') === true;
    return { status, body: parse(await textWithin(response, this.#maxBytes, tooLarge), status !== 200 || isText) };
  }

  #unreachable(error: Error): KubeError {
    return error instanceof KubeError ? error : new KubeError(`cannot reach ${this.target.server}: ${error.message}`, { cause: error });
  }

  #request(method: string, path: string, { payload, contentType, signal }: RequestParts): ClientRequest {
    return kubeRequest(this.target, path, {
      method,
      signal,
      agent: this.#agent,
      timeout: this.#timeoutMs,
      headers: {
        accept: JSON_TYPE,
        'user-agent': 'coordination-apiserver',
        ...(payload === undefined ? {} : { 'content-type': contentType, 'content-length': Buffer.byteLength(payload) }),
      },
    });
  }
}

interface RequestParts {
  readonly payload?: string;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

/** Refusals, metrics and health may be plain text. */
function parse(body: string, mayBeText: boolean): KubeObject {
  try {
    return JSON.parse(body) as KubeObject;
  } catch {
    if (mayBeText) return { message: body.trim() };
    throw new KubeError('the response is not JSON');
  }
}

/** Turns an unexpected response into a KubeError. */
export function refusal(what: string, { status, body }: KubeResponse): KubeError {
  return new KubeError(`${what}: ${status} ${body.message ?? body.reason ?? ''}`.trim());
}
