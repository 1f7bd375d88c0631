import type { TLSSocket } from 'node:tls';
import { type ReceivedFrame, FrameSplitter } from '../../support/frame-splitter.js';
import { type Field, HpackEncoder } from './hpack-encoder.js';
import {
  ACK,
  DEFAULT_WINDOW,
  END_HEADERS,
  END_STREAM,
  frame,
  INITIAL_WINDOW_SIZE,
  MAX_CONCURRENT_STREAMS,
  PREFACE,
  settings,
  Type,
  windowUpdate,
} from '../../support/http2-frames.js';
import type { TrafficMeter } from './traffic-meter.js';

/** Window of the connection is returned for received bodies in steps of this size. */
const REFUND_BYTES = 16_384;
const LONGEST_WAIT_MS = 1000;

export interface RawHttp2Options {
  /** The initial window of each response. */
  readonly initialWindow?: number;
  /** Whether it answers PINGs and SETTINGS and returns window for received bodies; true by default. */
  readonly polite?: boolean;
}

/** An HTTP/2 client that sends arbitrary frames and counts the responses. */
export class RawHttp2 {
  readonly hpack = new HpackEncoder();
  /** Concurrent streams that the server allows. */
  maxStreams = 100;
  /** What the connection as a whole may still send in bodies. */
  window = DEFAULT_WINDOW;
  answers = 0;
  resets = 0;
  /** Error code of the server's GOAWAY. */
  goaway: number | undefined;
  isOver = false;
  readonly #splitter = new FrameSplitter();
  readonly #polite: boolean;
  #nextStream = 1;
  #unpaid = 0;
  #waiting: (() => void)[] = [];

  constructor(
    readonly socket: TLSSocket,
    readonly meter: TrafficMeter,
    { initialWindow = DEFAULT_WINDOW, polite = true }: RawHttp2Options = {},
  ) {
    this.#polite = polite;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.destroy());
    socket.on('drain', () => this.#wake());
    socket.on('close', () => {
      this.isOver = true;
      this.#wake();
    });
    this.write(PREFACE, settings([[INITIAL_WINDOW_SIZE, initialWindow]]));
  }

  /** Sends bytes in one write, and so in as few TLS records as possible. */
  write(...frames: readonly Uint8Array[]): void {
    if (this.isOver || !this.socket.writable) return;
    const bytes = Buffer.concat(frames);
    this.meter.sent(bytes.length);
    this.socket.write(bytes);
  }

  /** Sends, and waits while the server does not read; this bounds the attacker's own memory. */
  async send(...frames: readonly Uint8Array[]): Promise<void> {
    this.write(...frames);
    while (!this.isOver && this.socket.writableNeedDrain) await this.#change();
  }

  /** Returns an unused stream number. */
  nextStream(): number {
    const stream = this.#nextStream;
    this.#nextStream += 2;
    return stream;
  }

  /** A HEADERS frame that opens a stream. */
  headers(stream: number, fields: readonly Field[], flags = END_HEADERS | END_STREAM): Buffer {
    return frame(Type.HEADERS, flags, stream, this.hpack.encode(fields));
  }

  /** Waits for `bytes` of the connection's window and takes them; returns false if the connection ends or the time is over. */
  async reserve(bytes: number, ms = Infinity): Promise<boolean> {
    const until = Date.now() + ms;
    while (!this.isOver && this.window < bytes && Date.now() < until) await this.#change();
    if (this.isOver || this.window < bytes) return false;
    this.window -= bytes;
    return true;
  }

  /** Sends a DATA frame as soon as the connection's window allows it; gives up if the connection ends. */
  async data(stream: number, payload: Buffer, flags = 0): Promise<void> {
    if (await this.reserve(payload.length)) await this.send(frame(Type.DATA, flags, stream, payload));
  }

  /** Resolves after `count` responses and resets, when the connection ends, or after `ms`. */
  async answered(count: number, ms: number): Promise<void> {
    const until = Date.now() + ms;
    while (!this.isOver && this.answers + this.resets < count && Date.now() < until) await this.#change();
  }

  /** Stops reading and answering without closing, like a client that has lost power. */
  vanish(): void {
    this.socket.pause();
  }

  close(): void {
    this.socket.destroy();
  }

  /** Waits for any event on the connection, at most for a second. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, LONGEST_WAIT_MS);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }

  #read(chunk: Buffer): void {
    this.meter.received(chunk.length);
    for (const received of this.#splitter.split(chunk)) this.#take(received);
    this.#wake();
  }

  #take({ type, flags, stream, payload }: ReceivedFrame): void {
    if (type === Type.HEADERS) this.answers++;
    else if (type === Type.RST_STREAM) this.resets++;
    else if (type === Type.GOAWAY) this.goaway = payload.readUInt32BE(4);
    else if (type === Type.WINDOW_UPDATE && stream === 0) this.window += payload.readUInt32BE(0);
    else if (type === Type.DATA) this.#refund(payload.length);
    else if (type === Type.SETTINGS && !(flags & ACK)) this.#settings(payload);
    else if (type === Type.PING && !(flags & ACK) && this.#polite) this.write(frame(Type.PING, ACK, 0, payload));
  }

  #settings(payload: Buffer): void {
    for (let at = 0; at < payload.length; at += 6) {
      if (payload.readUInt16BE(at) === MAX_CONCURRENT_STREAMS) this.maxStreams = payload.readUInt32BE(at + 2);
    }
    if (this.#polite) this.write(frame(Type.SETTINGS, ACK, 0));
  }

  #refund(bytes: number): void {
    this.#unpaid += bytes;
    if (!this.#polite || this.#unpaid < REFUND_BYTES) return;
    this.write(windowUpdate(0, this.#unpaid));
    this.#unpaid = 0;
  }
}
