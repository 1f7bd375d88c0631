import { EventEmitter } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';
import { Held } from '../ledger/held.js';
import type { Http2Request } from './http2-request.js';

/** What an answer needs of its connection. */
export interface ResponseConnection {
  /** There is something to send. */
  wake(response: Http2Response): void;
  /** Resets the stream. */
  cutOff(response: Http2Response): void;
}

/** Answers that wait for the same thing. An answer waits in one place at most. */
export interface AnswerPlace {
  /** The answer waits here. */
  delete(response: Http2Response): void;
}

/** A piece of a body, and who is told when it is on its way. */
export interface Piece {
  readonly bytes: Buffer;
  readonly sent: (() => void) | undefined;
  /** Whether it has been charged to the connection. */
  held: boolean;
}

const EMPTY = Buffer.alloc(0);
const NO_CONTENT = 204;
const NOT_MODIFIED = 304;

/**
 * The answer to a request, with the names of node:http's ServerResponse. Headers leave with the first bytes of the body, unless they are
 * flushed. Emits `close`, once: when all of it has been handed to the kernel, or when its stream is gone, and then `writableFinished`
 * is false.
 */
export class Http2Response extends EventEmitter<{ close: [] }> {
  statusCode = 200;
  headersSent = false;
  writableEnded = false;
  /** All of it has been given to the connection. */
  writableFinished = false;
  /** The stream is gone. */
  destroyed = false;
  /** Has no end of its own, as a watch: it may wait for its client however long. */
  endless = false;
  /** Has no meaning here: a connection is not told by its answers how long it stays. */
  shouldKeepAlive = true;

  // What the connection keeps of it.
  headers: OutgoingHttpHeaders = {};
  headersLeft = false;
  /** Where it waits, if it has something to send. */
  place: AnswerPlace | undefined;
  next: Http2Response | undefined;
  previous: Http2Response | undefined;
  heapIndex = 0;
  /** What the client takes beyond the window that it gives every answer at first; negative for what has been sent of that. */
  window = 0;
  readonly pieces: Piece[] = [];
  /** What has been sent of the first piece. */
  offset = 0;
  /** Bytes of the body that have been sent, and how many that were when somebody looked; when they were that many first. */
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

  /** `sent` is called when the bytes have been handed to the kernel; never, if the stream ends before. */
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

  /** Breaks the answer off, so that its client cannot take it for a whole one. */
  destroy(): void {
    // What has been given to the connection cannot be taken back, but nobody waits for it any more.
    if (this.writableFinished) this.close();
    else if (!this.destroyed) this.#connection.cutOff(this);
  }

  /** Of the connection: the stream is gone. */
  abandon(): void {
    if (this.destroyed) return;
    for (let piece = this.pieces.pop(); piece; piece = this.pieces.pop()) this.letGo(piece);
    this.request.abort();
    this.close();
  }

  /** Of the connection: it has let go of the answer. */
  close(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }

  /** Of the connection: a piece has been sent, or never will be. */
  letGo({ held, bytes }: Piece): void {
    if (held) this.request.account.release(this.#kind, bytes.length);
  }

  /** Nobody reads a body after this, so that none of it is kept. */
  #begin(): void {
    this.headersSent = true;
    this.request.discard();
  }

  /** What cannot leave at once is charged until it does; what can, which is nearly everything, is never held. */
  #send(): void {
    this.#connection.wake(this);
    const last = this.pieces.at(-1);
    if (!last || last.held) return;
    last.held = this.request.account.charge(this.#kind, last.bytes.length);
    if (!last.held) this.destroy();
  }

  get #kind(): Held {
    return this.endless ? Held.WATCHES : Held.ANSWERS;
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
