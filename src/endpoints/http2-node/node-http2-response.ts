import { EventEmitter } from 'node:events';
import type { OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import { constants } from 'node:http2';
import { Held } from '../ledger/held.js';
import type { RawResponse } from '../request/raw-exchange.js';
import type { NodeHttp2Request } from './node-http2-request.js';

/** As much as a frame. */
const PIECE_BYTES = 16 * 1024;
const NO_CONTENT = 204;
const NOT_MODIFIED = 304;
/** Fields by which HTTP/1.1 manages connections; node:http2 throws when it is to send them. */
const CONNECTION_FIELDS = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']);

/**
 * The answer to a request over a stream of node:http2. Headers leave with the first bytes of the body, unless they are flushed. Its
 * request is reset without an error when the answer is complete before the body is, so that no client keeps a stream open.
 */
export class NodeHttp2Response extends EventEmitter<{ close: [] }> implements RawResponse {
  statusCode = 200;
  headersSent = false;
  writableEnded = false;
  shouldKeepAlive = true;
  /** Is a watch, whose events wait by its own rules. */
  endless = false;
  readonly #stream: ServerHttp2Stream;
  readonly #request: NodeHttp2Request;
  readonly #toHead: boolean;
  #headers: OutgoingHttpHeaders = {};
  /** Pieces that the client has taken, now and at the last look at it. */
  #taken = 0;
  #seen = -1;
  #seenAt = 0;

  constructor(stream: ServerHttp2Stream, request: NodeHttp2Request) {
    super();
    this.#stream = stream;
    this.#request = request;
    // The pipeline may rename the method for the framework's router.
    this.#toHead = request.method === 'HEAD';
    // The end of a stream is told by `close`; without a listener, an error would end the process.
    stream.on('error', () => undefined);
    stream.once('close', () => this.emit('close'));
    stream.once('finish', () => request.complete || stream.close(constants.NGHTTP2_NO_ERROR));
  }

  get writableFinished(): boolean {
    return this.#stream.writableFinished;
  }

  get destroyed(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  writeHead(status: number, headers: OutgoingHttpHeaders = {}): this {
    this.statusCode = status;
    this.#headers = headers;
    this.headersSent = true;
    return this;
  }

  flushHeaders(): void {
    this.#begin(false);
  }

  write(bytes: Buffer | string, sent?: () => void): void {
    if (this.destroyed || this.writableEnded) return;
    this.#begin(false);
    if (this.#hasNoBody) sent?.();
    else this.#writePieces(asBuffer(bytes), sent);
  }

  end(bytes: Uint8Array | string = ''): void {
    if (this.destroyed || this.writableEnded) return;
    this.writableEnded = true;
    const isEmpty = bytes.length === 0 || this.#hasNoBody;
    this.#begin(isEmpty);
    if (!isEmpty) this.#writePieces(asBuffer(bytes));
    this.#stream.end();
  }

  /** Resets the stream: the client does not take the answer. */
  cancel(): void {
    if (!this.destroyed) this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  /** Whether the rest of the answer waits to be sent, and the client has taken no piece of it for so long. */
  isStalled(now: number, stallMs: number): boolean {
    const taken = !this.endless && this.#stream.writableLength > 0 ? this.#taken : -1;
    if (taken !== -1 && taken === this.#seen) return now - this.#seenAt >= stallMs;
    this.#seen = taken;
    this.#seenAt = now;
    return false;
  }

  destroy(): void {
    if (!this.destroyed) this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  /** Node tells only of whole writes what the client has taken of them. Pieces are charged to the connection until then. */
  #writePieces(bytes: Buffer, sent?: () => void): void {
    const { account } = this.#request;
    const kind = this.endless ? Held.WATCHES : Held.ANSWERS;
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      const isLast = at + PIECE_BYTES >= bytes.length;
      if (!account.charge(kind, piece.length)) return this.destroy();
      this.#stream.write(piece, (error) => {
        account.release(kind, piece.length);
        if (error) return;
        this.#taken += 1;
        if (isLast) sent?.();
      });
    }
  }

  #begin(isLast: boolean): void {
    this.headersSent = true;
    if (this.destroyed || this.#stream.headersSent) return;
    this.#stream.respond({ ':status': this.statusCode, ...allowedFields(this.#headers) }, { endStream: isLast });
  }

  get #hasNoBody(): boolean {
    return this.#toHead || this.statusCode === NO_CONTENT || this.statusCode === NOT_MODIFIED;
  }
}

function asBuffer(bytes: Uint8Array | string): Buffer {
  if (typeof bytes === 'string') return Buffer.from(bytes);
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function allowedFields(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name, value]) => value !== undefined && !CONNECTION_FIELDS.has(name.toLowerCase()))
      .map(([name, value]) => [name, Array.isArray(value) ? value.map(withoutControls) : withoutControls(value)]),
  );
}

/** With a space for each control character, as the own implementation sends them: nghttp2 would send them as they are. */
function withoutControls(value: OutgoingHttpHeader | undefined): string {
  // eslint-disable-next-line no-control-regex
  return String(value).replace(/[\0-\x08\x0a-\x1f\x7f]/g, ' ');
}
