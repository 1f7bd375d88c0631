import { requestFields } from '../../attack/identities.js';
import {
  END_HEADERS,
  END_STREAM,
  frame,
  INITIAL_WINDOW_SIZE,
  MAX_WINDOW,
  reset,
  settings,
  Type,
  windowUpdate,
} from '../../support/http2-frames.js';
import type { RawHttp2 } from '../../attack/wire/raw-http2.js';
import type { Step, StepKind } from './cost-sequence.js';
import { getOf, headerOf, postOf } from './hostile-requests.js';

/** Maximum size of one write, and so of one TLS record. */
const MAX_WRITE = 15_000;
const KEPT_BYTES = 64;
/** How long DATA waits for the connection's window; a client that does not read receives none. */
const WINDOW_MS = 300;
const ANSWER_MS = 500;
const UNKNOWN_TYPE = 99;

/** Frames without content. `stream` has been opened. */
const CONTROL_FRAMES: Partial<Record<StepKind, (size: number, index: number, stream: number) => Buffer>> = {
  settings: (size, index) => settings([[INITIAL_WINDOW_SIZE, index % 2 === 0 ? size : 0]]),
  'widen-stream': (size, _, stream) => windowUpdate(stream, size),
  'widen-connection': (size) => windowUpdate(0, size),
  fault: (size, _, stream) => (size === 0 ? windowUpdate(stream, MAX_WINDOW) : frame(Type.DATA, 0, stream)),
  ping: () => frame(Type.PING, 0, 0, Buffer.alloc(8)),
  priority: (_size, _index, stream) => frame(Type.PRIORITY, 0, stream, Buffer.alloc(5)),
  unknown: (size) => frame(UNKNOWN_TYPE, 0, 0, Buffer.alloc(size)),
};

/** State of the steps on one connection. */
export class Http2Steps {
  requests = 0;
  writes = 0;
  readonly #connection: RawHttp2;
  readonly #streams: number[] = [];
  readonly #bodies: number[] = [];
  #ended = 0;
  #gets = 0;

  constructor(connection: RawHttp2) {
    this.#connection = connection;
  }

  /** Sends a step, many frames per write, until the connection is over. */
  async send(step: Step): Promise<void> {
    let batch: Buffer[] = [];
    let bytes = 0;
    const flush = async () => {
      this.writes++;
      await this.#connection.send(...batch);
      [batch, bytes] = [[], 0];
    };
    for (let index = 0; index < step.times && !this.#connection.isOver; index++) {
      const next = this.#frameOf(step, index);
      if (bytes > 0 && bytes + next.length > MAX_WRITE) await flush();
      if (!(await this.#takesWindow(step, next))) break;
      batch.push(next);
      bytes += next.length;
    }
    if (bytes > 0) await flush();
    // The next frames should arrive while responses are in progress.
    if (step.kind === 'get') await this.#connection.answered(this.#gets, ANSWER_MS);
  }

  /** DATA beyond the connection's window would only end the connection. */
  async #takesWindow({ kind }: Step, { length }: Buffer): Promise<boolean> {
    if (kind !== 'data' && kind !== 'stray' && kind !== 'padded') return true;
    return this.#connection.reserve(length, WINDOW_MS);
  }

  #frameOf(step: Step, index: number): Buffer {
    const { kind, size } = step;
    const control = CONTROL_FRAMES[kind];
    if (control) return control(size, index, this.#stream(index));
    if (kind === 'data') return frame(Type.DATA, 0, this.#bodyStream(index), Buffer.alloc(size, 0x20));
    if (kind === 'stray') return frame(Type.DATA, 0, this.#streams[0] ?? 1, Buffer.alloc(size));
    if (kind === 'padded') return this.#padded(size, index);
    if (kind === 'cancel') return reset(this.#streams[this.#ended++] ?? 1);
    return this.#requestOf(step);
  }

  /** A small part that is kept, next to a large part that is discarded. */
  #padded(size: number, index: number): Buffer {
    const kept = frame(Type.DATA, 0, this.#bodyStream(index), Buffer.alloc(KEPT_BYTES, 0x20));
    return Buffer.concat([kept, frame(Type.DATA, 0, this.#streams[0] ?? 1, Buffer.alloc(size))]);
  }

  #requestOf({ kind, size, target }: Step): Buffer {
    const { hpack } = this.#connection;
    const stream = this.#connection.nextStream();
    this.#streams.push(stream);
    this.requests++;
    if (kind === 'post') {
      this.#bodies.push(stream);
      const { path, token } = postOf(target);
      const length = size === 0 ? [] : [['content-length', String(size)] as const];
      return this.#connection.headers(
        stream,
        requestFields('POST', path, token, [['content-type', 'application/json'], ...length]),
        END_HEADERS,
      );
    }
    const { path, token } = getOf(target);
    const head = requestFields('GET', path, token);
    if (kind === 'get') {
      this.#gets++;
      return this.#connection.headers(stream, head);
    }
    if (kind === 'continuation') {
      const first = frame(Type.HEADERS, END_STREAM, stream, hpack.encode(head));
      const parts = [0, 1, 2].map((at) =>
        frame(Type.CONTINUATION, at === 2 ? END_HEADERS : 0, stream, hpack.field(['x-part', 'p'.repeat(size)])),
      );
      return Buffer.concat([first, ...parts]);
    }
    const repeated = headerOf(target, size);
    return this.#connection.headers(stream, [...head, ...Array.from({ length: size }, () => repeated)]);
  }

  #stream(index: number): number {
    return this.#streams[index % Math.max(1, this.#streams.length)] ?? 1;
  }

  #bodyStream(index: number): number {
    return this.#bodies[index % Math.max(1, this.#bodies.length)] ?? this.#stream(index);
  }
}
