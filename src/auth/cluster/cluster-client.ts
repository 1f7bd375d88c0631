import { once } from 'node:events';
import type http from 'node:http';
import https from 'node:https';
import { linesOf } from '../../apimachinery/codec/lines-of.js';
import type { WebhookTarget } from '../webhook/webhook-client.js';

const TIMEOUT_MS = 10_000;
/** Longest silence of a watch; kube-apiserver sends bookmarks every minute. */
const SILENCE_MS = 150_000;
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
const MAX_SOCKETS = 10;

export interface ClusterAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The cluster did not answer, or not in its language. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';
}

/** Reads objects of the cluster in front of this server. */
export class ClusterClient {
  readonly #target: WebhookTarget;
  readonly #agent: https.Agent;

  constructor(target: WebhookTarget) {
    this.#target = target;
    const { ca, cert, key, insecure, serverName: servername } = target;
    this.#agent = new https.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS, ca, cert, key, servername, rejectUnauthorized: !insecure });
  }

  /** Resolves with any answer; rejects with a ClusterError if there is none. */
  async get(path: string): Promise<ClusterAnswer> {
    try {
      const response = await this.#open(path, AbortSignal.timeout(TIMEOUT_MS));
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of response as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > MAX_RESPONSE_BYTES) throw new ClusterError('the response is too large');
        chunks.push(chunk);
      }
      return { status: response.statusCode ?? 0, body: parse(Buffer.concat(chunks).toString('utf8')) };
    } catch (error) {
      throw asClusterError(error);
    }
  }

  /** Yields the events of a watch until it ends, is silent for too long, or `signal` aborts. Rejects with a ClusterError if it breaks. */
  async *watch(path: string, signal: AbortSignal): AsyncGenerator<Readonly<Record<string, unknown>>> {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), SILENCE_MS).unref();
    try {
      const response = await this.#open(path, AbortSignal.any([signal, silence.signal]));
      if (response.statusCode !== 200) {
        response.resume();
        throw new ClusterError(`the watch was refused with ${response.statusCode}`);
      }
      for await (const line of linesOf(response)) {
        timer.refresh();
        yield parse(line);
      }
    } catch (error) {
      if (!signal.aborted) throw asClusterError(error);
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  async #open(path: string, signal: AbortSignal): Promise<http.IncomingMessage> {
    const authorization = this.#target.authorization();
    const request = https.request(new URL(path, this.#target.url), {
      agent: this.#agent,
      signal,
      headers: {
        accept: 'application/json',
        'user-agent': 'coordination-apiserver',
        ...(authorization === undefined ? {} : { authorization }),
      },
    });
    request.end();
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    return response;
  }
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    throw new ClusterError('the response is not JSON');
  }
}

function asClusterError(error: unknown): ClusterError {
  return error instanceof ClusterError
    ? error
    : new ClusterError(`cannot reach the cluster: ${(error as Error).message}`, { cause: error });
}
