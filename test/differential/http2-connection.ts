import { type ClientHttp2Session, type IncomingHttpHeaders, connect } from 'node:http2';
import type { RawAnswer } from './answers/read-answer.js';

interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** A connection to one server by HTTP/2, opened when it is first used and again after it was closed. */
export class Http2Connection {
  readonly #url: string;
  #session: ClientHttp2Session | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  /** Reads the whole answer, or that of a watch for `watchMs`. */
  ask({ method, path, headers, body }: SentRequest, timeoutMs: number, watchMs: number | undefined): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const stream = this.#open().request({ ':method': method, ':path': path, ...headers }, { endStream: body === undefined });
      const chunks: Buffer[] = [];
      let received: IncomingHttpHeaders & { ':status'?: number } = {};
      const end = (open: boolean) => resolve({ status: received[':status'] ?? 0, headers: received, body: Buffer.concat(chunks), open });
      stream.on('response', (answer) => {
        received = answer;
        if (watchMs === undefined || answer[':status'] !== 200) return;
        setTimeout(() => {
          if (stream.closed) return;
          end(true);
          stream.close();
        }, watchMs);
      });
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => end(false));
      stream.on('error', reject);
      stream.setTimeout(timeoutMs, () => stream.destroy(new Error(`no answer to ${method} ${path}`)));
      stream.end(body);
    });
  }

  close(): void {
    this.#session?.destroy();
  }

  #open(): ClientHttp2Session {
    if (!this.#session || this.#session.closed || this.#session.destroyed) {
      this.#session = connect(this.#url, { rejectUnauthorized: false });
      this.#session.on('error', () => undefined);
    }
    return this.#session;
  }
}
