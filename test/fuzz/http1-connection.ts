import type { TLSSocket } from 'node:tls';
import { openTls } from '../support/open-tls.js';
import type { Exchange, FuzzRequest } from './fuzz-request.js';
import { ResponseReader, UNANSWERED } from './response-reader.js';

/** A request unanswered for this long is a finding. */
export const ANSWER_LIMIT_MS = 45_000;
/** How long a watch is read after its last event. */
export const STREAM_SILENCE_MS = 60;

/** A connection that sends input that no HTTP library would produce. */
export class Http1Connection {
  #socket: TLSSocket | undefined;
  /** Adds no headers: the caller must write Host and the length itself. */
  constructor(readonly port: number) {}

  async exchange(request: FuzzRequest): Promise<Exchange> {
    const fresh = request.hostile || !this.#socket || this.#socket.destroyed;
    if (fresh) this.#socket?.destroy();
    const socket = fresh ? await openTls(this.port) : this.#socket!;
    this.#socket = socket;
    socket.write(headOf(request));
    if (request.body) socket.write(request.body);
    const answer = await new ResponseReader(socket, request.method).read();
    if (!fresh && 'failure' in answer && answer.failure === UNANSWERED) {
      // as any client does: the server may have closed the idle connection at that moment
      this.close();
      return this.exchange(request);
    }
    const ended = 'failure' in answer || answer.open || request.hostile || answer.headers['connection'] === 'close';
    if (ended) this.close();
    return answer;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }
}

/** Latin-1, so that any byte can appear anywhere. */
function headOf(request: FuzzRequest): Buffer {
  const lines = [`${request.method} ${request.target} HTTP/1.1`];
  if (!request.headers.some(([name]) => name.toLowerCase() === 'host')) lines.push('Host: 127.0.0.1');
  for (const [name, value] of request.headers) lines.push(`${name}: ${value}`);
  if (request.body) lines.push(`Content-Length: ${request.body.length}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}
