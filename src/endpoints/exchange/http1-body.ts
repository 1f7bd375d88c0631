import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ConnectionAccount } from '../ledger/connection-account.js';
import { Held } from '../ledger/held.js';
import { HeldBytes } from '../ledger/held-bytes.js';
import type { BodyOutcome } from './raw-exchange.js';

/** Bytes of a body that are accepted before a handler reads it, as over HTTP/2. */
const MAX_UNREAD_BYTES = 64 * 1024;
const EMPTY: Buffer = Buffer.alloc(0);

/**
 * A property of the request, not a WeakMap: a body refers to its request, and V8's collections of young objects keep everything that the
 * values of a WeakMap refer to. Every request would survive until the next full collection.
 */
const BODY = Symbol('body');

interface WithBody {
  [BODY]?: Http1Body;
}

/** The body of an HTTP/1.1 request for which `takeBody` was called. */
export function bodyOf(raw: IncomingMessage & WithBody): Http1Body | undefined {
  return raw[BODY];
}

/** Starts to collect the body of a request. Returns undefined for a request without a body. */
export function takeBody(raw: IncomingMessage & WithBody, response: ServerResponse, account: ConnectionAccount): Http1Body | undefined {
  const length = raw.headers['content-length'];
  if (raw.headers['transfer-encoding'] === undefined && (length === undefined || Number(length) === 0)) return undefined;
  return (raw[BODY] = new Http1Body(raw, response, account));
}

/** As node:http understands `Expect`, for which it emits `checkContinue`. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/**
 * The body of an HTTP/1.1 request, charged to its connection. Node's stream would keep each piece as it arrived: a slice of the whole read,
 * or a buffer with hundreds of bytes of overhead for a single byte.
 */
export class Http1Body {
  readonly #raw: IncomingMessage;
  readonly #held: HeldBytes;
  /** -1 for a chunked body. */
  readonly #announced: number;
  #whole = EMPTY;
  #length = 0;
  #limit = Infinity;
  #ended = false;
  #gone = false;
  #done: ((outcome: BodyOutcome) => void) | undefined;
  /** The response of a client that sends its body after a 100. Without one, node:http ends the connection: what comes next may be the body. */
  #awaited: ServerResponse | undefined;

  constructor(raw: IncomingMessage, response: ServerResponse, account: ConnectionAccount) {
    this.#raw = raw;
    if (raw.httpVersionMinor === 1 && CONTINUE.test(raw.headers.expect ?? '')) this.#awaited = response;
    this.#announced = Number(raw.headers['content-length'] ?? -1);
    this.#held = new HeldBytes(account, Held.READS, this.#announced < 0 ? Infinity : this.#announced);
    raw.on('data', (chunk: Buffer) => this.#take(chunk));
    raw.on('end', () => this.#end());
    const gone = () => this.#leave();
    raw.on('error', gone).on('close', gone);
  }

  /** Reads the whole body, and asks for it if its client waits; may be called once. Calls `done` when the body is complete, or at the first byte beyond the limit. */
  collect(limit: number, done: (outcome: BodyOutcome) => void): void {
    this.#limit = limit;
    this.#done = done;
    this.#awaited?.writeContinue();
    this.#awaited = undefined;
    this.#deliver();
    if (!this.#ended) this.#raw.resume();
  }

  /** The request has ended: releases what has arrived and drops the rest. */
  discard(): void {
    this.#gone = true;
    this.#whole = EMPTY;
    this.#held.release();
    this.#raw.resume();
  }

  #take(chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#gone) return;
    if (this.#length > this.#limit) return this.#deliver();
    if (this.#done && chunk.length === this.#announced) this.#whole = chunk;
    else if (!this.#held.append(chunk)) return void this.#raw.socket.destroy();
    if (!this.#done && this.#held.length >= MAX_UNREAD_BYTES) this.#raw.pause();
  }

  #end(): void {
    this.#ended = true;
    // node:http also emits `end` for an aborted body.
    if (this.#raw.aborted) this.#gone = true;
    this.#deliver();
  }

  /** The connection is closed; a complete body remains readable. */
  #leave(): void {
    if (!this.#ended) this.#gone = true;
    this.#deliver();
  }

  #deliver(): void {
    const done = this.#done;
    if (!done) return;
    const outcome = this.#outcome();
    if (outcome === undefined) return;
    this.#done = undefined;
    if (outcome === 'too large') this.discard();
    done(outcome);
  }

  #outcome(): BodyOutcome | undefined {
    if (this.#gone) return 'gone';
    if (this.#length > this.#limit) return 'too large';
    if (!this.#ended) return undefined;
    return this.#held.length > 0 ? this.#held.take() : this.#whole;
  }
}
