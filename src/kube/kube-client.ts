import http, { type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { linesOf } from '../apimachinery/codec/lines-of.js';
import { StartError } from '../settings/start-error.js';
import { UNKNOWN_CREDENTIALS, connectionFailure, isOfOtherAuthority } from './connection-failure.js';
import { type KubeObject, kubeObjectIn } from './kube-object.js';
import { type KubeTarget, expectedName } from './kube-target.js';

const TIMEOUT_MS = 60_000;
/** Longest silence of a watch; kube-apiserver sends bookmarks every minute. */
const SILENCE_MS = 150_000;
/** Longest body: a string cannot hold much more. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Longest line of a watch, in characters; no object is that large. */
const MAX_LINE = 16 * 1024 * 1024;
/** How much of a refusal's text is shown. */
const MAX_MESSAGE = 500;
const JSON_TYPE = 'application/json';
const CONNECTIONS = 16;

export interface KubeResponse {
  readonly status: number;
  readonly body: KubeObject;
}

interface KubeText {
  readonly status: number;
  readonly text: string;
}

/** A server did not answer, or not as a kube-apiserver does. */
export class KubeError extends StartError {
  override readonly name = 'KubeError';
  /** Whether the credentials or the authority of the kubeconfig are at fault. */
  readonly isOfKubeconfig: boolean;

  constructor(message: string, { isOfKubeconfig = false, ...options }: ErrorOptions & { readonly isOfKubeconfig?: boolean } = {}) {
    super(message, options);
    this.isOfKubeconfig = isOfKubeconfig;
  }
}

export interface KubeClientOptions {
  /** How long the server may be silent. */
  readonly timeoutMs?: number;
  /** How long an answer may take as a whole, but for a watch; `timeoutMs` by default. */
  readonly answerMs?: number;
  /** Longest body that is read. */
  readonly maxBytes?: number;
}

/** Sends requests to an API server. Resolves with any response; rejects with a KubeError if the server cannot be reached. */
export class KubeClient {
  readonly target: KubeTarget;
  readonly #agent: Agent;
  readonly #timeoutMs: number;
  readonly #answerMs: number;
  readonly #maxBytes: number;

  constructor(target: KubeTarget, { timeoutMs = TIMEOUT_MS, answerMs = timeoutMs, maxBytes = MAX_BYTES }: KubeClientOptions = {}) {
    this.target = target;
    this.#timeoutMs = timeoutMs;
    this.#answerMs = answerMs;
    this.#maxBytes = maxBytes;
    this.#agent = kubeAgent(target, { maxSockets: CONNECTIONS });
  }

  /** Sends and reads JSON. The answer of a success must be JSON. */
  async ask(method: string, path: string, body?: object, contentType = JSON_TYPE): Promise<KubeResponse> {
    const { status, text } = await this.#send(method, path, { payload: body && JSON.stringify(body), contentType });
    return { status, body: parse(text, status) };
  }

  /** Reads what is not JSON, such as metrics. */
  askText(path: string): Promise<KubeText> {
    return this.#send('GET', path, {});
  }

  async #send(method: string, path: string, parts: RequestParts): Promise<KubeText> {
    return this.#read(await this.#open(method, path, parts));
  }

  /**
   * Yields the objects of a stream, such as a watch, until it ends or `signal` aborts. Throws a KubeError if it is refused, breaks, or is silent
   * for `silenceMs`.
   */
  async *watch(path: string, { signal, silenceMs = SILENCE_MS }: WatchOptions = {}): AsyncGenerator<KubeObject> {
    const ended = new AbortController();
    const silent = new Error(`silent for ${silenceMs} ms`);
    const timer = setTimeout(() => ended.abort(silent), silenceMs).unref();
    try {
      const response = await this.#open('GET', path, { signal: signal ? AbortSignal.any([signal, ended.signal]) : ended.signal });
      const { statusCode: status = 0 } = response;
      if (status !== 200) throw refusal('cannot watch', { status, body: parse((await this.#read(response)).text, status) });
      for await (const line of linesOf(response, MAX_LINE)) {
        timer.refresh();
        yield parse(line, status);
      }
    } catch (error) {
      if (!signal?.aborted) throw this.#unreachable(ended.signal.aborted ? silent : (error as Error));
    } finally {
      clearTimeout(timer);
      ended.abort();
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Sends a request, and resolves with the response once it begins. */
  #open(method: string, path: string, parts: RequestParts): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => reject(this.#unreachable(error));
      try {
        const asked = this.#request(method, path, parts);
        let open: ClientRequest | IncomingMessage = asked;
        const giveUp = (ms: number, what = 'answer'): void => void open.destroy(new Error(`no ${what} within ${ms} ms`));
        // Node lets twice its timeout pass for a socket whose TLS handshake the server does not complete.
        let timer = setTimeout(giveUp, this.#timeoutMs, this.#timeoutMs);
        // A watch may be silent for longer than an answer, and has no end.
        if (!parts.signal) asked.on('timeout', () => giveUp(this.#timeoutMs));
        asked.on('close', () => clearTimeout(timer));
        asked.on('error', fail);
        asked.on('response', (response) => {
          open = response;
          clearTimeout(timer);
          if (!parts.signal) timer = setTimeout(giveUp, this.#answerMs, this.#answerMs, 'whole answer');
          resolve(response);
        });
        asked.end(parts.payload);
      } catch (error) {
        // Node refuses the header, the certificate or the key.
        fail(error as Error);
      }
    });
  }

  async #read(response: IncomingMessage): Promise<KubeText> {
    const { statusCode: status = 0 } = response;
    const tooLarge = (): Error => new KubeError(`the response of ${this.#name} is too large`);
    const text = await textWithin(response, this.#maxBytes, tooLarge).catch((error: Error) => Promise.reject(this.#unreachable(error)));
    return { status, text };
  }

  #unreachable(error: Error): StartError {
    if (error instanceof StartError) return error;
    const isOfKubeconfig = isOfOtherAuthority(error);
    return new KubeError(`cannot reach ${this.#name}: ${connectionFailure(error)}`, { cause: error, isOfKubeconfig });
  }

  /** Without the password that a URL may have. */
  get #name(): string {
    const { origin, pathname } = new URL(this.target.server);
    return `${origin}${pathname.replace(/\/$/, '')}`;
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

interface WatchOptions {
  readonly signal?: AbortSignal;
  readonly silenceMs?: number;
}

interface RequestParts {
  readonly payload?: string;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

/** A refusal may be plain text. */
function parse(body: string, status: number): KubeObject {
  const parsed = kubeObjectIn(body);
  if (parsed) return parsed;
  if (status === 200) throw new KubeError('the response is no object of JSON, or not of Kubernetes');
  return { message: body.trim().slice(0, MAX_MESSAGE) };
}

/** Turns an unexpected response into a KubeError. */
export function refusal(what: string, { status, body }: KubeResponse): KubeError {
  const remedy = status === 401 ? ` (${UNKNOWN_CREDENTIALS})` : '';
  return new KubeError(`${what}: ${status} ${body.message ?? body.reason ?? ''}`.trim() + remedy, { isOfKubeconfig: status === 401 });
}

/** Keep-alive connections to a target, over TLS with its authority and client certificate or without, as its URL says. */
export function kubeAgent(target: KubeTarget, options: https.AgentOptions = {}): http.Agent {
  if (!isSecure(target)) return new http.Agent({ keepAlive: true, ...options });
  const { ca, cert, key, insecure, serverName } = target;
  return new https.Agent({
    keepAlive: true,
    ca,
    cert,
    key,
    ...expectedName(serverName),
    rejectUnauthorized: !insecure,
    allowPartialTrustChain: true,
    ...options,
  });
}

/** Begins a request to a path of the target, or to its URL itself, with its credentials. */
export function kubeRequest(target: KubeTarget, path: string, options: http.RequestOptions): http.ClientRequest {
  const authorization = target.authorization?.();
  const headers = { ...options.headers, ...(authorization !== undefined && { authorization }) };
  const url = path === '' ? target.server : `${target.server.replace(/\/$/, '')}${path}`;
  const request = (isSecure(target) ? https : http).request(url, { ...options, headers });
  // Node would end the request without a response or an error.
  request.on('upgrade', (_, socket) => {
    socket.destroy();
    request.emit('error', new Error('the server changes the protocol'));
  });
  return request;
}

function isSecure({ server }: KubeTarget): boolean {
  return /^https:/i.test(server);
}

/** The text of a response. Rejects with this error once it is longer than `maxBytes`. */
export async function textWithin(response: IncomingMessage, maxBytes: number, tooLarge: () => Error): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
