import https from 'node:https';
import { type Answer, ask } from '../support/http-client.js';

const HEADERS = { authorization: 'Bearer fuzz-token', accept: 'application/json', 'content-type': 'application/json' };

/** A well-behaved client for the fuzzer's own requests. */
export class ApiClient {
  readonly #agent = new https.Agent({ keepAlive: true });

  constructor(readonly url: string) {}

  ask(method: string, path: string, body?: object): Promise<Answer> {
    return ask(new URL(path, this.url).href, { method, body, headers: HEADERS, agent: this.#agent, timeoutMs: 30_000 });
  }

  close(): void {
    this.#agent.destroy();
  }
}
