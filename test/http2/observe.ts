import { once } from 'node:events';
import tls from 'node:tls';
import { HeaderDecoder } from '../../src/endpoints/http2/hpack/header-decoder.js';
import { type ReceivedFrame, FrameSplitter } from '../support/frame-splitter.js';
import { ACK, END_HEADERS, END_STREAM, frame, get, headers, PADDED, PREFACE, settings, Type } from '../support/http2-frames.js';
import type { Sequence, Step } from './sequence.js';

const CODES = ['NO_ERROR', 'PROTOCOL_ERROR', 'INTERNAL_ERROR', 'FLOW_CONTROL_ERROR', 'SETTINGS_TIMEOUT', 'STREAM_CLOSED', 'FRAME_SIZE_ERROR',
  'REFUSED_STREAM', 'CANCEL', 'COMPRESSION_ERROR', 'CONNECT_ERROR', 'ENHANCE_YOUR_CALM', 'INADEQUATE_SECURITY', 'HTTP_1_1_REQUIRED']; // prettier-ignore
/** Far above the streams of any sequence. */
const PROBE = 100_001;
const PROBE_PING = Buffer.from('probing.');
const LONGEST_WAIT_MS = 5000;
const LONGEST_SHOWN_BODY = 80;

/** The outcome of one stream. */
class Stream {
  readonly parts: string[] = [];
  body = Buffer.alloc(0);
  isOver = false;

  end(): void {
    this.isOver = true;
  }

  toString(): string {
    const body = this.body.length <= LONGEST_SHOWN_BODY ? JSON.stringify(this.body.toString()) : `${this.body.length} bytes`;
    const [first = 'DATA', ...rest] = this.parts;
    return [this.body.length > 0 ? `${first} ${body}` : first, ...rest, ...(this.isOver ? [] : ['unfinished'])].join(' ');
  }
}

/** Sends a sequence, then a harmless request and a PING; returns the outcome of each stream and of the connection in one line. */
export async function observe(port: number, sequence: Sequence, graceMs: number): Promise<string> {
  const conversation = new Conversation(port);
  try {
    await conversation.run(sequence);
    if (graceMs > 0) await conversation.wait(() => false, graceMs);
    return conversation.outcome(sequence);
  } finally {
    conversation.close();
  }
}

class Conversation {
  readonly #socket: tls.TLSSocket;
  readonly #streams = new Map<number, Stream>();
  readonly #decoder = new HeaderDecoder({ bytes: 1 << 20, fields: 1000 });
  readonly #splitter = new FrameSplitter();
  #block: { stream: number; flags: number; parts: Buffer[] } | undefined;
  #goaway: string[] = [];
  #lastStream = -1;
  #settled = false;
  /** Whether the server has acknowledged the settings and answered the PING. */
  #acknowledged = false;
  #pinged = false;
  #closed = false;
  #notify: () => void = () => undefined;

  constructor(port: number) {
    this.#socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2'] });
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => {
      this.#closed = true;
      this.#notify();
    });
    this.#socket.on('data', (chunk: Buffer) => {
      for (const received of this.#splitter.split(chunk)) this.#frame(received);
      this.#notify();
    });
  }

  async run({ bare, steps }: Sequence): Promise<void> {
    await once(this.#socket, 'secureConnect');
    if (!bare) await this.#begin();
    for (const step of steps) await this.#do(step);
    if (this.#closed) return;
    this.#socket.write(Buffer.concat([headers(PROBE, get('/probe')), frame(Type.PING, 0, 0, PROBE_PING)]));
    await this.wait(() => (this.#pinged && this.#streams.get(PROBE)?.isOver === true) || this.#failed, LONGEST_WAIT_MS);
    if (this.#failed) await this.wait(() => this.#closed, LONGEST_WAIT_MS);
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Streams are numbered from the first of the sequence; the generator names those before. */
  outcome({ first, brief }: Sequence): string {
    const streams = [...this.#streams].filter(([id]) => id !== PROBE && !brief).sort(([a], [b]) => a - b);
    const told = streams.map(([id, stream]) => `${id < first ? '' : '+'}${id - first}: ${stream.toString()}`);
    return [...told, ...this.#goaway.map((code) => `GOAWAY ${code}${this.#lastStreamFault()}`), this.#end(brief)].join('; ');
  }

  #end(brief: boolean): string {
    if (this.#closed) return 'closed';
    const probe = this.#streams.get(PROBE)?.toString() ?? 'unanswered';
    if (!this.#acknowledged) return 'settings not acknowledged';
    if (!this.#pinged) return 'PING not answered';
    if (probe === '200 "GET /probe 0"') return 'alive';
    return brief ? 'open' : `open, probe ${probe}`;
  }

  /** A client may repeat requests beyond a GOAWAY's last stream, so none of these may have been answered. */
  #lastStreamFault(): string {
    const answered = [...this.#streams].filter(([, { parts }]) => parts.some((part) => /^\d/.test(part))).map(([id]) => id);
    return this.#lastStream < Math.max(0, ...answered) ? ' with a last stream before one that was answered' : '';
  }

  /** Resolves when the condition holds or the time is up. */
  async wait(condition: () => boolean, ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
      this.#notify = () => condition() && resolve();
      this.#notify();
    });
    clearTimeout(timer);
    this.#notify = () => undefined;
  }

  get #failed(): boolean {
    return this.#closed || this.#goaway.some((code) => code !== 'NO_ERROR');
  }

  async #begin(): Promise<void> {
    this.#socket.write(Buffer.concat([PREFACE, settings([])]));
    await this.wait(() => this.#settled || this.#closed, LONGEST_WAIT_MS);
    if (!this.#closed) this.#socket.write(settings([], ACK));
  }

  async #do(step: Step): Promise<void> {
    if (this.#closed) return;
    if (Buffer.isBuffer(step)) this.#socket.write(step);
    else await this.wait(() => this.#streams.get(step.answered)?.isOver === true || this.#failed, LONGEST_WAIT_MS);
  }

  #frame({ type, flags, stream, payload }: ReceivedFrame): void {
    if (type === Type.SETTINGS && flags & ACK) this.#acknowledged = true;
    else if (type === Type.SETTINGS) this.#settled = true;
    else if (type === Type.PING && flags & ACK && payload.equals(PROBE_PING)) this.#pinged = true;
    else if (type === Type.GOAWAY) {
      this.#lastStream = payload.readUInt32BE(0);
      this.#goaway.push(codeName(payload.readUInt32BE(4)));
    } else if (type === Type.RST_STREAM) {
      this.#stream(stream).parts.push(`RST ${codeName(payload.readUInt32BE(0))}`);
      this.#stream(stream).end();
    } else if (type === Type.DATA) this.#data(stream, flags, payload);
    else if (type === Type.HEADERS) this.#headers(stream, flags, [payload]);
    else if (type === Type.CONTINUATION && this.#block) this.#headers(stream, flags | this.#block.flags, [...this.#block.parts, payload]);
  }

  #data(id: number, flags: number, payload: Buffer): void {
    const stream = this.#stream(id);
    const bytes = flags & PADDED ? payload.subarray(1, payload.length - (payload[0] ?? 0)) : payload;
    stream.body = Buffer.concat([stream.body, bytes]);
    if (flags & END_STREAM) stream.end();
  }

  #headers(id: number, flags: number, parts: Buffer[]): void {
    this.#block = { stream: id, flags: flags & END_STREAM, parts };
    if (!(flags & END_HEADERS)) return;
    this.#block = undefined;
    const stream = this.#stream(id);
    const status = this.#decoder.decode(Buffer.concat(parts))?.find(({ name }) => name === ':status')?.value;
    stream.parts.push(status ?? 'trailers');
    if (flags & END_STREAM) stream.end();
  }

  #stream(id: number): Stream {
    let stream = this.#streams.get(id);
    if (!stream) this.#streams.set(id, (stream = new Stream()));
    return stream;
  }
}

function codeName(code: number): string {
  return CODES[code] ?? String(code);
}
