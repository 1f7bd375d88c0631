import { EventEmitter } from 'node:events';
import type { OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';
import { type ServerHttp2Stream, constants } from 'node:http2';
import { Held } from '../ledger/connection-account.js';
import type { RawResponse } from '../exchange/raw-exchange.js';
import type { NodeHttp2Request } from './node-http2-request.js';

/** The size of one frame. */
const PIECE_BYTES = 16 * 1024;
const NO_CONTENT = 204;
const NOT_MODIFIED = 304;
/** Fields that manage HTTP/1.1 connections; node:http2 throws on an attempt to send them. */
const CONNECTION_FIELDS = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']);

/**
 * The response to a request over a node:http2 stream. Headers leave with the first bytes of the body unless they are flushed earlier. If
 * the response is complete before the request body, the request is reset without an error, so that a client cannot keep its stream open.
 */
export class NodeHttp2Response extends EventEmitter<{ close: [] }> implements RawResponse {
  statusCode = 200;
  headersSent = false;
  writableEnded = false;
  shouldKeepAlive = true;
  /** True for a watch, whose events are held back by rules of their own. */
  endless = false;
  readonly #stream: ServerHttp2Stream;
  readonly #request: NodeHttp2Request;
  readonly #toHead: boolean;
  #headers: OutgoingHttpHeaders = {};
  /** Number of pieces the client has taken, now and at the last check. */
  #taken = 0;
  #seen = -1;
  #seenAt = 0;

  constructor(stream: ServerHttp2Stream, request: NodeHttp2Request) {
    super();
    this.#stream = stream;
    this.#request = request;
    // The pipeline may rename the method for the framework's router.
    this.#toHead = request.method === 'HEAD';
    // `close` reports the end of a stream; without an `error` listener, an error would end the process.
    stream.on('error', () => undefined);
    stream.once('close', () => this.emit('close'));
    stream.once('finish', () => request.complete || stream.close(constants.NGHTTP2_NO_ERROR));
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

  /** Resets the stream because the client does not take the response. */
  cancel(): void {
    if (!this.destroyed) this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  /** Whether the rest of the response is waiting to be sent and the client has taken no piece of it for `stallMs`. */
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

  /** Node reports only when a whole write has been taken. Until then, pieces are charged to the connection. */
  #writePieces(bytes: Buffer, sent?: () => void): void {
    const { account } = this.#request;
    const kind = this.endless ? Held.WATCHES : Held.RESPONSES;
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

/** Replaces each control character with a space, as the project's own implementation does; nghttp2 would send them unchanged. */
function withoutControls(value: OutgoingHttpHeader | undefined): string {
  // eslint-disable-next-line no-control-regex
  return String(value).replace(/[\0-\x08\x0a-\x1f\x7f]/g, ' ');
}
