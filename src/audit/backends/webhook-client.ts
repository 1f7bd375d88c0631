import http from 'node:http';
import https from 'node:https';

/** Whom to call and how to prove who calls, as a kubeconfig says it. */
export interface WebhookTarget {
  readonly url: URL;
  readonly ca?: string;
  readonly insecure: boolean;
  readonly serverName?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The value of the Authorization header, asked for each request: tokens in files change. */
  readonly authorization: () => string | undefined;
}

const TIMEOUT_MS = 30_000;

/** Posts JSON to one URL over kept connections. */
export class WebhookClient {
  readonly #target: WebhookTarget;
  readonly #agent: http.Agent;

  constructor(target: WebhookTarget) {
    this.#target = target;
    const { url, ca, cert, key, insecure, serverName } = target;
    const tls = { ca, cert, key, servername: serverName, rejectUnauthorized: !insecure };
    this.#agent = url.protocol === 'https:' ? new https.Agent({ keepAlive: true, ...tls }) : new http.Agent({ keepAlive: true });
  }

  /** Rejects for any answer but a 2xx. What is answered is not read: nobody needs it. */
  post(body: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const { url, authorization } = this.#target;
      const credentials = authorization();
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...(credentials === undefined ? {} : { authorization: credentials }),
      };
      const { request } = url.protocol === 'https:' ? https : http;
      const sent = request(url, { method: 'POST', agent: this.#agent, headers, timeout: TIMEOUT_MS }, (response) => {
        const { statusCode = 0 } = response;
        response.resume();
        response.on('error', reject);
        if (statusCode >= 200 && statusCode < 300) resolve();
        else reject(new Error(`the webhook answered ${statusCode}`));
      });
      sent.on('timeout', () => sent.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
      sent.on('error', reject);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
