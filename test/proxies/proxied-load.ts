import https from 'node:https';
import { type LeaseAnswer, LeaseSession } from '../load/lease-session.js';
import { ask as send } from '../support/http-client.js';

const PAUSE_MS = 20;
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

type Ask = (method: string, path: string, body?: object) => Promise<LeaseAnswer>;

/** Requests over kept connections of HTTP/1.1. */
export function http1Asker(url: string): { readonly ask: Ask; readonly close: () => void } {
  const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });
  const ask: Ask = (method, path, body) =>
    send(url + path, { method, body, agent }).catch((error: Error) => ({ status: 0, text: error.message }));
  return { ask, close: () => agent.destroy() };
}

/** Requests over one connection of HTTP/2, until it gets a GOAWAY; then over the next. */
function http2Asker(url: string): { readonly ask: Ask; readonly close: () => void } {
  let client: LeaseSession | undefined;
  const connected = (): LeaseSession => {
    if (client && !client.session.closed && !client.session.destroyed) return client;
    const opened = new LeaseSession(url, 'admin-token');
    opened.session.on('goaway', () => opened.session.close());
    return (client = opened);
  };
  const ask: Ask = (method, path, body) => connected().send(method, path, body && JSON.stringify(body));
  return { ask, close: () => client?.close() };
}

/** Creates, reads, renews and deletes leases in turn, each answer counted by its status. */
export class ProxiedLoad {
  readonly counts = new Map<string, number>();
  readonly failures = new Set<string>();
  #stopped = false;
  readonly #ended: Promise<unknown>;

  constructor(url: string, { clients, http2 }: { clients: number; http2: boolean }) {
    const askers = (http2 ? [http1Asker, http2Asker] : [http1Asker]).flatMap((asker) => Array.from({ length: clients }, () => asker(url)));
    this.#ended = Promise.all(askers.map(({ ask, close }, at) => this.#work(ask, `load-${at}`).finally(close)));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ended;
  }

  get requests(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Answers by proxies and servers that failed, and requests without an answer. */
  get failed(): number {
    return [...this.counts].reduce((sum, [status, count]) => sum + (status >= '500' || status === '0' ? count : 0), 0);
  }

  async #work(ask: Ask, name: string): Promise<void> {
    const counted = async (method: string, path: string, body?: object): Promise<LeaseAnswer> => {
      const answer = await ask(method, path, body);
      const status = String(answer.status);
      this.counts.set(status, (this.counts.get(status) ?? 0) + 1);
      if (answer.status === 0 || answer.status >= 500) {
        this.failures.add(`${method} ${answer.status} ${answer.text.slice(0, 200).replace(/\s+/g, ' ')}`);
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      return answer;
    };
    while (!this.#stopped) {
      await counted('POST', LEASES, { metadata: { name }, spec: { holderIdentity: name, leaseDurationSeconds: 15 } });
      for (let renewals = 0; renewals < 5; renewals++) {
        const { status, text } = await counted('GET', `${LEASES}/${name}`);
        if (status === 200) await counted('PUT', `${LEASES}/${name}`, JSON.parse(text) as object);
      }
      await counted('DELETE', `${LEASES}/${name}`);
    }
  }
}
