import https from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { WireObject } from './wire-object.js';

export interface WatchedEvent {
  readonly type: string;
  readonly object: WireObject;
}

/** A watch over HTTP/1.1 that collects its events. */
export class WatchClient {
  readonly events: WatchedEvent[] = [];
  readonly response: Promise<IncomingMessage>;
  /** Resolves when the server ends the stream properly; rejects when it is cut off. */
  readonly ended: Promise<void>;
  readonly #request: ReturnType<typeof https.request>;
  #wake: (() => void)[] = [];

  constructor(url: string, token = 'admin-token') {
    this.#request = https.request(url, { rejectUnauthorized: false, agent: false, headers: { authorization: `Bearer ${token}` } });
    this.response = new Promise((resolve, reject) => {
      this.#request.on('response', resolve).on('error', reject);
    });
    this.ended = this.response.then((response) => this.#read(response));
    this.ended.catch(() => undefined);
    this.#request.end();
  }

  /** Waits until this many events have arrived. */
  async count(count: number): Promise<WatchedEvent[]> {
    while (this.events.length < count) {
      await Promise.race([new Promise<void>((resolve) => this.#wake.push(resolve)), this.ended]);
    }
    return this.events;
  }

  /** Disconnects. */
  abort(): void {
    this.#request.destroy();
  }

  #read(response: IncomingMessage): Promise<void> {
    let rest = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.events.push(JSON.parse(line) as WatchedEvent);
      for (const wake of this.#wake.splice(0)) wake();
    });
    return new Promise((resolve, reject) => {
      response.on('end', resolve).on('error', reject);
    });
  }
}
