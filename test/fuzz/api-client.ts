import https from 'node:https';

export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** A well-behaved client for the fuzzer's own requests. */
export class ApiClient {
  readonly #agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });

  constructor(readonly url: string) {}

  ask(method: string, path: string, body?: object): Promise<Reply> {
    const headers = { authorization: 'Bearer fuzz-token', accept: 'application/json', 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const request = https.request(new URL(path, this.url), { method, headers, agent: this.#agent, timeout: 30_000 }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }));
        response.on('error', reject);
      });
      request.on('timeout', () => request.destroy(new Error('no answer in 30 s')));
      request.on('error', reject);
      request.end(body && JSON.stringify(body));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
