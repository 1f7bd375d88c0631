import type http from 'node:http';
import { kubeAgent, kubeRequest } from '../../kube/kube-agent.js';
import type { KubeTarget } from '../../kube/kube-target.js';
import { textWithin } from '../../kube/text-within.js';

const TIMEOUT_MS = 30_000;
/** Limits on connections to one webhook and on calls in flight or waiting: any client can cause calls by sending tokens. */
const MAX_SOCKETS = 100;
const MAX_CALLS = 1000;
/** Largest response that is read. */
const MAX_RESPONSE_BYTES = 3 * 1024 * 1024;

/** A webhook call without a usable response. */
export class WebhookError extends Error {
  /** Whether a retry may succeed, by upstream's rule (apiserver pkg/util/webhook DefaultShouldRetry). */
  readonly transient: boolean;

  constructor(message: string, transient: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = 'WebhookError';
    this.transient = transient;
  }
}

/** What one call has of its own. */
export interface WebhookCall {
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** Posts JSON to one URL over keep-alive connections. */
export class WebhookClient {
  readonly #target: KubeTarget;
  readonly #agent: http.Agent;
  #calls = 0;

  constructor(target: KubeTarget) {
    this.#target = target;
    this.#agent = kubeAgent(target, { maxSockets: MAX_SOCKETS });
  }

  /** Resolves with the response body. Rejects with a WebhookError for any status but 2xx, and at once if too many calls are in flight. */
  async post(body: string, call: WebhookCall = {}): Promise<string> {
    if (this.#calls >= MAX_CALLS) throw new WebhookError('too many webhook calls in progress', false);
    this.#calls++;
    return this.#post(body, call).finally(() => this.#calls--);
  }

  #post(body: string, { headers: own = {}, timeoutMs = TIMEOUT_MS }: WebhookCall): Promise<string> {
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => reject(asWebhookError(error, timeoutMs));
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json',
        'content-length': Buffer.byteLength(body),
        ...own,
      };
      try {
        const sent = kubeRequest(this.#target, '', { method: 'POST', agent: this.#agent, headers, signal: AbortSignal.timeout(timeoutMs) });
        sent.on('response', (response) => void readResponse(response).then(resolve, fail));
        sent.on('error', fail);
        sent.end(body);
      } catch (error) {
        // The file of the token is gone, or Node refuses it as a header.
        fail(error as Error);
      }
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

async function readResponse(response: http.IncomingMessage): Promise<string> {
  const { statusCode = 0, headers } = response;
  const text = await textWithin(response, MAX_RESPONSE_BYTES, () => new WebhookError("the webhook's response is too large", false));
  if (statusCode >= 200 && statusCode < 300) return text;
  const transient = [429, 500, 504].includes(statusCode) || headers['retry-after'] !== undefined;
  throw new WebhookError(`the webhook responded with ${statusCode}`, transient);
}

function asWebhookError(error: Error & { readonly code?: string }, timeoutMs: number): WebhookError {
  if (error instanceof WebhookError) return error;
  if (error.name === 'TimeoutError' || error.name === 'AbortError') {
    return new WebhookError(`the webhook did not respond within ${timeoutMs} ms`, false, error);
  }
  return new WebhookError(`cannot call the webhook: ${error.message}`, error.code === 'ECONNRESET', error);
}
