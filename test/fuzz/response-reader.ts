import type { TLSSocket } from 'node:tls';
import type { Exchange } from './fuzz-request.js';
import { ANSWER_LIMIT_MS, STREAM_SILENCE_MS } from './http1-connection.js';

/** The failure of a connection that ends before the first byte of an answer. */
export const UNANSWERED = 'closed without an answer';

interface Head {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  readonly bodyAt: number;
}

/** Reads one HTTP/1.1 response from a socket. A stream without an end is left after a short silence. */
export class ResponseReader {
  readonly #socket: TLSSocket;
  readonly #method: string;
  #bytes = Buffer.alloc(0);
  #finish: (answer: Exchange) => void = () => undefined;
  #silence: NodeJS.Timeout | undefined;

  constructor(socket: TLSSocket, method: string) {
    this.#socket = socket;
    this.#method = method;
  }

  read(): Promise<Exchange> {
    return new Promise((resolve) => {
      const limit = setTimeout(() => this.#finish({ failure: 'no answer in time' }), ANSWER_LIMIT_MS);
      const onData = (chunk: Buffer) => this.#take(chunk);
      const onClose = () => this.#finish(this.#atEnd());
      this.#finish = (answer) => {
        clearTimeout(limit);
        clearTimeout(this.#silence);
        this.#socket.off('data', onData).off('close', onClose).off('end', onClose);
        resolve(answer);
      };
      this.#socket.on('data', onData).on('close', onClose).on('end', onClose);
    });
  }

  #take(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    const head = this.#head();
    if (!head) return;
    const body = this.#body(head);
    if (body) return this.#finish({ ...head, body, open: false });
    clearTimeout(this.#silence);
    if (head.headers['transfer-encoding'] === undefined) return;
    this.#silence = setTimeout(() => {
      this.#finish({ ...head, body: dechunked(this.#bytes.subarray(head.bodyAt)).body, open: true });
    }, STREAM_SILENCE_MS);
  }

  #head(): Head | undefined {
    const end = this.#bytes.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const [first = '', ...lines] = this.#bytes.toString('latin1', 0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
    if (status === 100) {
      this.#bytes = this.#bytes.subarray(end + 4);
      return this.#head();
    }
    const headers: Record<string, string | string[]> = {};
    for (const line of lines) {
      const colon = line.indexOf(':');
      const [name, value] = [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      const known = headers[name];
      headers[name] = known === undefined ? value : [known, value].flat();
    }
    return { status, headers, bodyAt: end + 4 };
  }

  #body({ status, headers, bodyAt }: Head): Buffer | undefined {
    if (this.#method === 'HEAD' || status === 204 || status === 304) return Buffer.alloc(0);
    const rest = this.#bytes.subarray(bodyAt);
    if (headers['transfer-encoding'] !== undefined) {
      const { body, complete } = dechunked(rest);
      return complete ? body : undefined;
    }
    const length = Number(headers['content-length'] ?? NaN);
    return rest.length >= length ? rest.subarray(0, length) : undefined;
  }

  /** A response without a length ends with its connection. */
  #atEnd(): Exchange {
    const head = this.#head();
    if (!head) return { failure: UNANSWERED };
    if (head.headers['content-length'] !== undefined) return { failure: 'closed in the middle of an answer' };
    return { ...head, body: this.#bytes.subarray(head.bodyAt), open: false };
  }
}

function dechunked(bytes: Buffer): { body: Buffer; complete: boolean } {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const line = bytes.indexOf('\r\n', at);
    const size = line < 0 ? NaN : Number.parseInt(bytes.toString('latin1', at, line), 16);
    if (size === 0) return { body: Buffer.concat(parts), complete: true };
    if (Number.isNaN(size) || bytes.length < line + 4 + size) return { body: Buffer.concat(parts), complete: false };
    parts.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 4 + size;
  }
}
