import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { type Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { linesOf } from '../../apimachinery/codec/lines-of.js';
import { CommandError } from '../output/command-error.js';
import { kubeAgent } from './kube-agent.js';
import type { KubeTarget } from './kube-target.js';

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

/** Sends JSON requests to an API server. Resolves with any response; rejects with a CommandError if the server cannot be reached. */
export class KubeClient {
  readonly target: KubeTarget;
  readonly #agent: Agent;
  readonly #timeoutMs: number;

  constructor(target: KubeTarget, timeoutMs = TIMEOUT_MS) {
    this.target = target;
    this.#timeoutMs = timeoutMs;
    this.#agent = kubeAgent(target, { maxSockets: CONNECTIONS });
  }

  ask(method: string, path: string, body?: object, contentType = JSON_TYPE): Promise<KubeResponse> {
    const payload = body && JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => reject(this.#unreachable(error));
      const asked = this.#request(method, path, payload, contentType);
      const giveUp = (): void => void asked.destroy(new Error(`no answer within ${this.#timeoutMs} ms`));
      // Node lets twice its timeout pass for a socket whose TLS handshake the server does not complete.
      const timer = setTimeout(giveUp, this.#timeoutMs);
      asked.on('timeout', giveUp);
      asked.on('close', () => clearTimeout(timer));
      asked.on('error', fail);
      asked.on('response', (response) => {
        clearTimeout(timer);
        const chunks: Buffer[] = [];
        response.on('error', fail);
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: parse(Buffer.concat(chunks).toString()) }));
      });
      asked.end(payload);
    });
  }

  /** Yields the lines of a stream, such as a watch. Throws a CommandError if it is refused or breaks. */
  async *lines(path: string): AsyncGenerator<KubeObject> {
    const asked = this.#request('GET', path);
    asked.end();
    try {
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      const { statusCode: status = 0 } = response;
      if (status !== 200) throw refusal('cannot watch', { status, body: parse(await text(response)) });
      for await (const line of linesOf(response)) yield JSON.parse(line) as KubeObject;
    } catch (error) {
      throw error instanceof CommandError ? error : this.#unreachable(error as Error);
    } finally {
      asked.destroy();
    }
  }

  #unreachable(error: Error): CommandError {
    return new CommandError(`cannot reach ${this.target.server}: ${error.message}`);
  }

  #request(method: string, path: string, payload?: string, contentType = JSON_TYPE): ClientRequest {
    const { server, token } = this.target;
    return request(`${server}${path}`, {
      method,
      agent: this.#agent,
      timeout: this.#timeoutMs,
      headers: {
        accept: JSON_TYPE,
        'user-agent': 'coordination-apiserver',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(payload === undefined ? {} : { 'content-type': contentType, 'content-length': Buffer.byteLength(payload) }),
      },
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function parse(text: string): KubeObject {
  try {
    return JSON.parse(text) as KubeObject;
  } catch {
    return { message: text.trim() };
  }
}

/** Turns an unexpected response into a CommandError. */
export function refusal(what: string, { status, body }: KubeResponse): CommandError {
  return new CommandError(`${what}: ${status} ${body.message ?? body.reason ?? ''}`.trim());
}
