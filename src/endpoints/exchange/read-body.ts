import type { IncomingMessage, ServerResponse } from 'node:http';
import { ExpectedError } from '../../apimachinery/errors/api-error.js';
import { requestEntityTooLarge } from '../../apimachinery/errors/status-errors.js';
import { type ConnectionAccount, Held, REQUEST_BYTES, headerBytes } from '../ledger/connection-account.js';
import { HeldBytes } from '../ledger/held-bytes.js';
import { accountOf } from '../ledger/memory-ledger.js';
import type { BodyOutcome, RawRequest } from './raw-exchange.js';

/** Largest request body, in bytes (apiserver server/config.go MaxRequestBodyBytes). */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** The client has closed the request, so no response can be sent. */
export class ClientGone extends ExpectedError {
  constructor() {
    super('the client closed the request');
  }
}

const NO_BYTES = Buffer.alloc(0);

/**
 * Reads the whole body; resolves with a large one when it is its turn. Rejects with a 413 as soon as the body exceeds the limit, and with
 * ClientGone if the client disconnects first.
 */
export function readBody(raw: RawRequest, limit = MAX_BODY_BYTES): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = 'collect' in raw ? raw : bodyOf(raw);
    const done = (outcome: BodyOutcome) => {
      if (outcome === 'gone') reject(new ClientGone());
      else if (outcome === 'too large') reject(requestEntityTooLarge(`limit is ${limit}`));
      else if (outcome.length <= LARGE_BYTES) resolve(outcome);
      else largeTurns.wait(ownerOf(raw), () => resolve(outcome));
    };
    if (body) body.collect(limit, done);
    else done(NO_BYTES);
  });
}

/** For what follows the decoding of a body: another turn if it is large. */
export async function furtherTurn(raw: RawRequest, body: Buffer): Promise<void> {
  if (body.length > LARGE_BYTES) await new Promise<void>((resolve) => largeTurns.wait(ownerOf(raw), resolve));
}

function ownerOf(raw: RawRequest): object {
  return ('account' in raw ? raw.account : accountOf(raw.socket)).owner;
}

/**
 * Charges an HTTP/1.1 request to its connection until its response is closed. Returns false, and ends the connection, if a client that
 * pipelines requests exceeds the connection's budget.
 */
export function chargeMessage(raw: IncomingMessage, response: ServerResponse): boolean {
  // After a refused request, the parser still processes what has already been read.
  if (raw.socket.destroyed) return false;
  const account = accountOf(raw.socket);
  const bytes = REQUEST_BYTES + headerBytes(raw.rawHeaders) + (raw.url?.length ?? 0);
  if (!account.charge(Held.HEADERS, bytes)) {
    raw.socket.destroy();
    return false;
  }
  const body = takeBody(raw, response, account);
  response.once('close', () => {
    account.release(Held.HEADERS, bytes);
    body?.discard();
  });
  return true;
}

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

/** Longer bodies wait for their turn. */
export const LARGE_BYTES = 16 * 1024;

const LONGEST_REST_MS = 100;

/**
 * Lets work on large bodies begin one at a time, owner by owner, and then rest for as long as it took: however many connections send them, a
 * small request waits for one, and half of the event loop's time is left for others.
 */
export class LargeTurns {
  /** In the order of their owners' turns. */
  readonly #waiting = new Map<object, (() => void)[]>();
  #isBusy = false;

  /** `work` is the next turn of the event loop's, and includes what its promises go on with. */
  wait(owner: object, work: () => void): void {
    const queue = this.#waiting.get(owner);
    if (queue) queue.push(work);
    else this.#waiting.set(owner, [work]);
    if (this.#isBusy) return;
    this.#isBusy = true;
    setImmediate(() => this.#next());
  }

  #next(): void {
    const [first] = this.#waiting;
    if (!first) {
      this.#isBusy = false;
      return;
    }
    const [owner, [work, ...others]] = first;
    this.#waiting.delete(owner);
    if (others.length > 0) this.#waiting.set(owner, others);
    const started = performance.now();
    work?.();
    setImmediate(() => setTimeout(() => this.#next(), Math.min(performance.now() - started, LONGEST_REST_MS)));
  }
}

/** One for each event loop, which is what is shared. */
export const largeTurns = new LargeTurns();
