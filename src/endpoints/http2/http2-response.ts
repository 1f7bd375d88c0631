import { EventEmitter } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';
import { Held } from '../ledger/connection-account.js';
import type { Http2Request } from './http2-request.js';

/** What a response needs of its connection. */
export interface ResponseConnection {
  /** The response has something to send. */
  wake(response: Http2Response): void;
  /** Resets the response's stream. */
  cutOff(response: Http2Response): void;
}

/** Responses waiting for the same thing. A response waits in at most one place. */
export interface ResponsePlace {
  /** The response must be waiting here. */
  delete(response: Http2Response): void;
}

/** A piece of a body, with a callback for when it has been sent. */
export interface Piece {
  readonly bytes: Buffer;
  readonly sent: (() => void) | undefined;
  /** Whether it is charged to the connection. */
  held: boolean;
}

const EMPTY = Buffer.alloc(0);
const NO_CONTENT = 204;
const NOT_MODIFIED = 304;

/**
 * The response to a request, with the property names of node:http's ServerResponse. Headers leave with the first bytes of the body unless
 * they are flushed earlier. Emits `close` once: when everything has been handed to the kernel, or when the stream is gone; in the second
 * case `writableFinished` is false.
 */
export class Http2Response extends EventEmitter<{ close: [] }> {
  statusCode = 200;
  headersSent = false;
  writableEnded = false;
  /** Everything has been handed to the connection. */
  writableFinished = false;
  /** The stream is gone. */
  destroyed = false;
  /** Does not end by itself, like a watch: it may wait for its client indefinitely. */
  endless = false;
  /** Has no effect here: responses do not decide how long an HTTP/2 connection stays open. */
  shouldKeepAlive = true;

  // State kept here by the connection.
  headers: OutgoingHttpHeaders = {};
  headersLeft = false;
  /** Where the response waits, if it has something to send. */
  place: ResponsePlace | undefined;
  next: Http2Response | undefined;
  previous: Http2Response | undefined;
  heapIndex = 0;
  /** Window granted by the client beyond the initial window; bytes sent within the initial window make it negative. */
  window = 0;
  readonly pieces: Piece[] = [];
  /** Bytes of the first piece already sent. */
  offset = 0;
  /** Bytes of the body sent so far; the value at the last stall check, and when that value was first seen. */
  sent = 0;
  sentBefore: number | undefined;
  sentBeforeAt = 0;
  readonly #connection: ResponseConnection;
  readonly #toHead: boolean;

  constructor(
    readonly request: Http2Request,
    connection: ResponseConnection,
  ) {
    super();
    // The pipeline may rename the method for the framework's router.
    this.#toHead = request.method === 'HEAD';
    this.#connection = connection;
  }

  writeHead(status: number, headers: OutgoingHttpHeaders = {}): this {
    this.statusCode = status;
    this.headers = headers;
    this.#begin();
    return this;
  }

  flushHeaders(): void {
    if (this.destroyed || this.headersLeft) return;
    this.#begin();
    this.#connection.wake(this);
  }

  /** Calls `sent` when the bytes have been handed to the kernel; never if the stream ends earlier. */
  write(bytes: Buffer | string, sent?: () => void): void {
    if (this.destroyed || this.writableEnded) return;
    this.#begin();
    this.#push(bytes, sent);
    this.#send();
  }

  end(bytes: Uint8Array | string = EMPTY): void {
    if (this.destroyed || this.writableEnded) return;
    this.#begin();
    this.writableEnded = true;
    if (bytes.length > 0) this.#push(bytes);
    this.#send();
  }

  /** Aborts the response in a way that the client cannot mistake for a complete one. */
  destroy(): void {
    // Data handed to the connection cannot be withdrawn, but nothing waits for it any more.
    if (this.writableFinished) this.close();
    else if (!this.destroyed) this.#connection.cutOff(this);
  }

  /** Called by the connection when the stream is gone. */
  abandon(): void {
    if (this.destroyed) return;
    for (let piece = this.pieces.pop(); piece; piece = this.pieces.pop()) this.letGo(piece);
    this.request.abort();
    this.close();
  }

  /** Called by the connection when it has released the response. */
  close(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }

  /** Called by the connection when a piece has been sent or never will be. */
  letGo({ held, bytes }: Piece): void {
    if (held) this.request.account.release(this.#kind, bytes.length);
  }

  /** The body is not read after this, so it is no longer kept. */
  #begin(): void {
    this.headersSent = true;
    this.request.discard();
  }

  /** Data that cannot leave immediately is charged until it does. Nearly all data leaves immediately and is never held. */
  #send(): void {
    this.#connection.wake(this);
    const last = this.pieces.at(-1);
    if (!last || last.held) return;
    last.held = this.request.account.charge(this.#kind, last.bytes.length);
    if (!last.held) this.destroy();
  }

  get #kind(): Held {
    return this.endless ? Held.WATCHES : Held.RESPONSES;
  }

  #push(bytes: Uint8Array | string, sent?: () => void): void {
    if (this.#hasNoBody) sent?.();
    else this.pieces.push({ bytes: asBuffer(bytes), sent, held: false });
  }

  get #hasNoBody(): boolean {
    return this.#toHead || this.statusCode === NO_CONTENT || this.statusCode === NOT_MODIFIED;
  }
}

function asBuffer(bytes: Uint8Array | string): Buffer {
  if (typeof bytes === 'string') return Buffer.from(bytes);
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
