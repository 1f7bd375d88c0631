import type http from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { isObject } from '../../apimachinery/schema/is-object.js';
import { clusterTarget } from '../../kube/cluster-target.js';
import { kubeAgent, kubeRequest, textWithin } from '../../kube/kube-client.js';
import { type KubeTarget, withoutPlugin } from '../../kube/kube-target.js';
import { ofFlag } from '../../kube/kubeconfig.js';
import { readKubeTarget } from '../../kube/read-kube-target.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import { CLUSTER } from '../auth.settings.js';

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

/** The cluster's own service for what a webhook is asked. */
export interface ClusterWebhook {
  /** The value of `--cluster-kubeconfig`. */
  readonly kubeconfig: string;
  readonly path: string;
}

/** Creates a client for the server in the kubeconfig named by a flag, or for the cluster. Throws a KubeconfigError if it cannot be used. */
export function configuredWebhookClient(flag: string, file: string, cluster?: ClusterWebhook): WebhookClient {
  if (cluster && file === CLUSTER) {
    const target = clusterTarget(cluster.kubeconfig);
    return new WebhookClient({ ...target, server: new URL(cluster.path, target.server).href });
  }
  return new WebhookClient(ofFlag(flag, () => withoutPlugin(readKubeTarget([file]))));
}

/** As in upstream's DefaultAuthWebhookRetryBackoff. */
const FIRST_PAUSE_MS = 500;

/** The kind of review that is posted. */
interface ReviewKind {
  /** Such as `authentication.k8s.io/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
}

export interface WebhookReviewerOptions extends ReviewKind {
  readonly client: Pick<WebhookClient, 'post'>;
  /** Waits between attempts; replaced in tests. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** Calls a webhook in the style of Kubernetes reviews: posts an object with a spec and reads the status of the response. */
export class WebhookReviewer {
  readonly #options: WebhookReviewerOptions;

  constructor(options: WebhookReviewerOptions) {
    this.#options = options;
  }

  /** Resolves with the status of the response. Rejects with a WebhookError if there is none after the retries. */
  async review(spec: object): Promise<Readonly<Record<string, unknown>>> {
    const { apiVersion, kind, client, wait } = this.#options;
    const body = JSON.stringify({ kind, apiVersion, metadata: {}, spec });
    const isFinal = (error: unknown) => !(error instanceof WebhookError) || !error.transient;
    return withRetries(async () => this.#statusOf(await client.post(body)), { firstPauseMs: FIRST_PAUSE_MS, isFinal, wait });
  }

  /** A response without a kind is assumed to have that of the request, as in upstream's decoder. */
  #statusOf(text: string): Record<string, unknown> {
    const { apiVersion, kind } = this.#options;
    const answer = parse(text);
    if ((answer['kind'] ?? kind) !== kind || (answer['apiVersion'] ?? apiVersion) !== apiVersion) {
      throw new WebhookError(`the webhook's response is not a ${kind} of ${apiVersion}`, false);
    }
    const { status } = answer;
    return isObject(status) ? status : {};
  }
}

function parse(text: string): Record<string, unknown> {
  try {
    const answer: unknown = JSON.parse(text);
    if (isObject(answer)) return answer;
  } catch (error) {
    throw new WebhookError("the webhook's response is not JSON", false, error);
  }
  throw new WebhookError("the webhook's response is not an object", false);
}

/** Attempts, and the growth of the pauses between them (apiserver pkg/util/webhook WithExponentialBackoff). */
const ATTEMPTS = 5;
const FACTOR = 1.5;
const JITTER = 0.2;

export interface RetryOptions {
  readonly firstPauseMs: number;
  /** Whether there is no point in another attempt. */
  readonly isFinal: (error: unknown) => boolean;
  /** Waits between attempts. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** Repeats a call of a webhook that fails. Rejects with its last error. */
export async function withRetries<T>(call: () => Promise<T>, { firstPauseMs, isFinal, wait = setTimeout }: RetryOptions): Promise<T> {
  let pause = firstPauseMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (attempt === ATTEMPTS || isFinal(error)) throw error;
    }
    await wait(pause * (1 + JITTER * Math.random()));
    pause *= FACTOR;
  }
}

/** Reads fields of a webhook's response; values of the wrong type count as absent. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** Parses the user in a webhook's response. */
export function userOf(value: unknown): UserInfo {
  const { username, uid, groups, extra } = membersOf(value);
  const entries = Object.entries(membersOf(extra)).map(([key, values]): [string, string[]] => [key, textsOf(values)]);
  return { name: textOf(username), uid: textOf(uid), groups: textsOf(groups), extra: Object.fromEntries(entries) };
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
