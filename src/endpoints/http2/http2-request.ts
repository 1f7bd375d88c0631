import type { IncomingHttpHeaders } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { BodyOutcome } from '../exchange/raw-exchange.js';
import type { ConnectionAccount } from '../ledger/connection-account.js';
import { Held } from '../ledger/held.js';
import { HeldBytes } from '../ledger/held-bytes.js';
import { ErrorCode } from './error-code.js';
import { DEFAULT_WINDOW } from './frames.js';
import type { RequestHead } from './request-head.js';

/** What a request needs of its connection. */
export interface RequestConnection {
  readonly socket: TLSSocket;
  readonly account: ConnectionAccount;
  /** Returns window to the client for this body. */
  giveBack(stream: number, bytes: number): void;
  /** Tells the client to send the body, because a reader is waiting. */
  sendContinue(stream: number): void;
}

export interface Http2RequestOptions {
  readonly stream: number;
  readonly head: RequestHead;
  /** Bytes charged for the headers and the stream itself. */
  readonly headBytes: number;
  readonly connection: RequestConnection;
}

const EMPTY: Buffer = Buffer.alloc(0);

/**
 * A request on an HTTP/2 connection, with the property names of node:http. Until `collect` is called, the client may send no more of the
 * body than the window of a stream.
 */
export class Http2Request {
  readonly httpVersion = '2.0';
  readonly httpVersionMajor = 2;
  readonly httpVersionMinor = 0;
  readonly stream: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly headBytes: number;
  method: string;
  url: string;
  /** The whole body has arrived. */
  complete = false;
  /** The body is no longer kept. */
  isDiscarded = false;
  /** The stream ended before the body did. */
  aborted = false;
  readonly #connection: RequestConnection;
  readonly #announced: number;
  /** A body that arrived in one frame while a reader was waiting: a slice of the bytes read, passed on immediately. */
  #whole = EMPTY;
  /** Any other body. It is charged until the response begins, for as long as the request is being processed. */
  #held: HeldBytes | undefined;
  #length = 0;
  #window = DEFAULT_WINDOW;
  #limit = 0;
  #done: ((outcome: BodyOutcome) => void) | undefined;

  constructor({ stream, head, headBytes, connection }: Http2RequestOptions) {
    this.stream = stream;
    this.method = head.method;
    this.url = head.url;
    this.headers = head.headers;
    this.rawHeaders = head.rawHeaders;
    this.#announced = head.length;
    this.headBytes = headBytes;
    this.#connection = connection;
  }

  get socket(): TLSSocket {
    return this.#connection.socket;
  }

  get account(): ConnectionAccount {
    return this.#connection.account;
  }

  /** Reads the whole body; may be called once. Calls `done` immediately if the body has arrived, or at the first byte beyond the limit. */
  collect(limit: number, done: (outcome: BodyOutcome) => void): void {
    this.#limit = limit;
    this.#done = done;
    if (this.headers.expect?.toLowerCase() === '100-continue' && !this.complete) this.#connection.sendContinue(this.stream);
    this.#deliver();
  }

  /** Takes a part of the body; `size` is the window that it uses. Returns the stream error, or NO_ERROR. */
  receive(chunk: Buffer, size: number, isLast: boolean): ErrorCode {
    this.#window -= size;
    if (this.#window < 0) return ErrorCode.FLOW_CONTROL_ERROR;
    this.#length += chunk.length;
    if (this.#announced >= 0 && this.#length > this.#announced) return ErrorCode.PROTOCOL_ERROR;
    if (chunk.length === 0 || this.isDiscarded || (this.#done && this.#length > this.#limit)) return ErrorCode.NO_ERROR;
    if (isLast && this.#done && !this.#held) this.#whole = chunk;
    else if (!this.#hold(chunk)) return ErrorCode.ENHANCE_YOUR_CALM;
    return ErrorCode.NO_ERROR;
  }

  /** The client has sent everything. Returns the stream error, or NO_ERROR. */
  end(): ErrorCode {
    if (this.#announced >= 0 && this.#length !== this.#announced) return ErrorCode.PROTOCOL_ERROR;
    this.complete = true;
    return ErrorCode.NO_ERROR;
  }

  /** Called after `receive` or `end`: notifies the reader, or lets the client send more. */
  advance(): void {
    if (this.#done) this.#deliver();
  }

  /** The response has begun or the stream is over: releases the body received so far and drops the rest. */
  discard(): void {
    this.isDiscarded = true;
    this.#whole = EMPTY;
    this.#held?.release();
    this.#held = undefined;
  }

  /** The rest of the body will not arrive. */
  abort(): void {
    this.discard();
    if (this.complete) return;
    this.aborted = true;
    this.#finish('gone');
  }

  #hold(chunk: Buffer): boolean {
    this.#held ??= new HeldBytes(this.account, Held.READS, this.#announced < 0 ? Infinity : this.#announced);
    return this.#held.append(chunk);
  }

  #deliver(): void {
    if (this.isDiscarded) this.#finish('gone');
    else if (this.#length > this.#limit) this.#finish('too large');
    else if (this.complete) this.#finish(this.#held ? this.#held.take() : this.#whole);
    else if (this.#window < DEFAULT_WINDOW / 2) {
      const bytes = DEFAULT_WINDOW - this.#window;
      this.#window = DEFAULT_WINDOW;
      this.#connection.giveBack(this.stream, bytes);
    }
  }

  #finish(outcome: BodyOutcome): void {
    const done = this.#done;
    this.#done = undefined;
    this.#whole = EMPTY;
    done?.(outcome);
  }
}
