import type { IncomingHttpHeaders } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { BodyOutcome } from '../exchange/raw-exchange.js';
import { type ConnectionAccount, Held } from '../ledger/connection-account.js';
import { HeldBytes } from '../ledger/held-bytes.js';
import { DEFAULT_WINDOW, ErrorCode } from './frames.js';
import type { HeaderField } from './hpack/header-field.js';

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

/** The headers of a request, in the form that node:http uses. */
interface RequestHead {
  readonly method: string;
  readonly url: string;
  /** By name, including pseudo-headers. */
  readonly headers: IncomingHttpHeaders;
  /** Alternating names and values, as received. */
  readonly rawHeaders: readonly string[];
  /** Announced length of the body; -1 if it is not announced. */
  readonly length: number;
}

const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const LENGTH = /^\d{1,15}$/;

/** Returns undefined for a request that is malformed by RFC 9113 sections 8.2 and 8.3. */
export function requestHead(fields: readonly HeaderField[]): RequestHead | undefined {
  const headers = Object.create(null) as Record<string, string>;
  const rawHeaders: string[] = [];
  let ordinary = false;
  for (const { kind, name, value } of fields) {
    if (kind === 'pseudo' ? ordinary : kind === 'malformed') return undefined;
    if (kind !== 'pseudo') ordinary = true;
    rawHeaders.push(name, value);
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else if (kind === 'list') headers[name] = `${before}, ${value}`;
    else if (kind === 'cookie') headers[name] = `${before}; ${value}`;
    else if (kind === 'pseudo' || (kind === 'length' && before !== value)) return undefined;
  }
  return completeHead(headers, rawHeaders);
}

function completeHead(headers: Record<string, string>, rawHeaders: readonly string[]): RequestHead | undefined {
  const { ':method': method, ':path': url, ':scheme': scheme, 'content-length': announced } = headers;
  // CONNECT is for proxies; it has neither scheme nor path.
  if (!method || scheme === undefined || !url || !METHOD.test(method) || method === 'CONNECT') return undefined;
  // User information is not allowed in :authority (RFC 9113 section 8.3.1).
  if (headers[':authority']?.includes('@')) return undefined;
  if (!url.startsWith('/') && !(url === '*' && method === 'OPTIONS')) return undefined;
  if (announced !== undefined && !LENGTH.test(announced)) return undefined;
  return { method, url, headers, rawHeaders, length: announced === undefined ? -1 : Number(announced) };
}

/** Whether the fields are valid trailers (RFC 9113 section 8.1). Trailers are not kept. */
export function areTrailers(fields: readonly HeaderField[]): boolean {
  return fields.every(({ kind }) => kind !== 'pseudo' && kind !== 'malformed');
}
