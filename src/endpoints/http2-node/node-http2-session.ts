import { type ServerHttp2Session, type ServerHttp2Stream, constants, performServerHandshake } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Http2Session } from '../connections/open-connection.js';
import { type Peer, setPeer } from '../connections/watched-connection.js';
import { CONNECTION_WINDOW } from '../connections/connection-limits.js';
import { accountOf } from '../ledger/memory-ledger.js';
import { Held, headerBytes, REQUEST_BYTES } from '../ledger/connection-account.js';
import { NodeHttp2Request } from './node-http2-request.js';
import { NodeHttp2Response } from './node-http2-response.js';

export interface NodeHttp2Limits {
  /** Maximum number of concurrent streams on one connection. */
  readonly maxStreams: number;
  /** Maximum decoded size of all headers of a request; each header counts 32 bytes extra. */
  readonly maxHeaderBytes: number;
  readonly maxHeaders: number;
}

/** Megabytes that Node lets one session use, unsent responses included, before it refuses streams. */
const SESSION_MEMORY_MB = 32;
/** Maximum number of SETTINGS entries in a frame, of invalid frames and of refused streams before nghttp2 ends the session. */
const MAX_SETTINGS = 32;
const MAX_INVALID_FRAMES = 1000;
const MAX_REJECTED_STREAMS = 1000;
/** Stream resets a client may make: in one burst, and per second. */
const RESET_BURST = 1000;
const RESETS_PER_SECOND = 33;

/**
 * One connection served by node:http2 under nghttp2's limits (`--http2-implementation=node`). Its requests and responses look like those of
 * the project's own implementation.
 */
export class NodeHttp2Session implements Http2Session, Peer {
  readonly #session: ServerHttp2Session;
  readonly #responses = new Set<NodeHttp2Response>();

  constructor(
    readonly socket: TLSSocket,
    limits: NodeHttp2Limits,
    onRequest: (request: NodeHttp2Request, response: NodeHttp2Response) => void,
  ) {
    const session = performServerHandshake(socket, sessionOptions(limits));
    this.#session = session;
    session.setLocalWindowSize(CONNECTION_WINDOW);
    // A broken connection shows in its streams; without an `error` listener it would end the process.
    session.on('error', () => undefined);
    session.on('stream', (stream, headers, _flags, rawHeaders) => {
      const request = new NodeHttp2Request(stream, headers, rawHeaders, socket);
      const response = new NodeHttp2Response(stream, request);
      if (!this.#track(stream, request, response)) return stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
      onRequest(request, response);
    });
    setPeer(socket, this);
  }

  get isIdle(): boolean {
    return this.#responses.size === 0;
  }

  get isAwaited(): boolean {
    return !this.isIdle;
  }

  ping(): void {
    // Node refuses a PING while earlier ones are unanswered; the sweep accepts any bytes from the client as an answer.
    if (!this.#isOver) this.#session.ping(() => undefined);
  }

  endStalled(now: number, stallMs: number): void {
    for (const response of this.#responses) {
      if (!response.isStalled(now, stallMs)) continue;
      accountOf(this.socket).met('stalled');
      response.cancel();
    }
  }

  /** After a GOAWAY nghttp2 ignores new streams until they are refused at the end, unless it is a shutdown notice, which Node cannot send. */
  announceEnd(): void {
    // the client is told at the end
  }

  leave(): void {
    if (!this.#isOver) this.#session.close();
  }

  get #isOver(): boolean {
    return this.#session.closed || this.#session.destroyed;
  }

  /** Returns false if the client makes the server hold too much. */
  #track(stream: ServerHttp2Stream, { account, rawHeaders }: NodeHttp2Request, response: NodeHttp2Response): boolean {
    const bytes = REQUEST_BYTES + headerBytes(rawHeaders);
    if (!account.charge(Held.HEADERS, bytes)) return false;
    account.openStream();
    this.#responses.add(response);
    stream.once('close', () => {
      account.release(Held.HEADERS, bytes);
      account.closeStream();
      this.#responses.delete(response);
    });
    return true;
  }
}

function sessionOptions({ maxStreams, maxHeaderBytes, maxHeaders }: NodeHttp2Limits): Parameters<typeof performServerHandshake>[1] {
  return {
    maxHeaderListPairs: maxHeaders,
    maxSessionMemory: SESSION_MEMORY_MB,
    maxSettings: MAX_SETTINGS,
    maxSessionInvalidFrames: MAX_INVALID_FRAMES,
    maxSessionRejectedStreams: MAX_REJECTED_STREAMS,
    streamResetBurst: RESET_BURST,
    streamResetRate: RESETS_PER_SECOND,
    settings: { maxConcurrentStreams: maxStreams, maxHeaderListSize: maxHeaderBytes, enablePush: false },
  };
}
