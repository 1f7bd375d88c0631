import { type ClientHttp2Session, type ClientHttp2Stream, type OutgoingHttpHeaders, connect } from 'node:http2';
import type { Exchange, FuzzRequest } from './fuzz-request.js';
import { ANSWER_LIMIT_MS, STREAM_SILENCE_MS } from './http1-connection.js';

/** One HTTP/2 session, reopened when it has ended. */
export class Http2Connection {
  #session: ClientHttp2Session | undefined;

  constructor(readonly port: number) {}

  async exchange(request: FuzzRequest): Promise<Exchange> {
    if (!this.#session || this.#session.closed || this.#session.destroyed) this.#session = this.#open();
    try {
      const answer = await exchangeOn(this.#session, request);
      if (request.hostile) this.close();
      return answer;
    } catch (error) {
      this.close();
      return { failure: `not sent: ${(error as Error).message}` };
    }
  }

  close(): void {
    this.#session?.destroy();
    this.#session = undefined;
  }

  #open(): ClientHttp2Session {
    const session = connect(`https://127.0.0.1:${this.port}`, {
      rejectUnauthorized: false,
      maxSendHeaderBlockLength: 1 << 20,
      maxSessionMemory: 256,
    });
    session.on('error', () => session.destroy());
    return session;
  }
}

function exchangeOn(session: ClientHttp2Session, request: FuzzRequest): Promise<Exchange> {
  const stream = session.request(headersOf(request), { endStream: request.body === undefined });
  if (request.body) stream.end(request.body);
  return readResponse(stream);
}

function headersOf(request: FuzzRequest): OutgoingHttpHeaders {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of request.headers) {
    const key = name.toLowerCase();
    headers[key] = headers[key] === undefined ? value : [headers[key], value].flat();
  }
  const length = request.body ? { 'content-length': request.body.length } : {};
  return { ':method': request.method, ':path': request.target, ...headers, ...length };
}

function readResponse(stream: ClientHttp2Stream): Promise<Exchange> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let head: { status: number; headers: Record<string, string | string[] | undefined> } | undefined;
    let silence: NodeJS.Timeout | undefined;
    const limit = setTimeout(() => finish({ failure: 'no answer in time' }), ANSWER_LIMIT_MS);
    const finish = (answer: Exchange) => {
      clearTimeout(limit);
      clearTimeout(silence);
      stream.close();
      resolve(answer);
    };
    const wait = () => {
      clearTimeout(silence);
      // A response with a length is complete; one without is a stream.
      if (!head || head.headers['content-length'] !== undefined) return;
      silence = setTimeout(() => head && finish({ ...head, body: Buffer.concat(chunks), open: true }), STREAM_SILENCE_MS);
    };
    stream.on('response', (headers) => {
      head = { status: headers[':status'] ?? 0, headers };
      wait();
    });
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      wait();
    });
    stream.on('end', () => finish(head ? { ...head, body: Buffer.concat(chunks), open: false } : { failure: 'closed without an answer' }));
    stream.on('error', (error: Error) => finish({ failure: `stream error: ${error.message}` }));
    stream.on('close', () => finish({ failure: 'closed without an answer' }));
  });
}
