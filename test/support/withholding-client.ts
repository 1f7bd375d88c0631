import { once } from 'node:events';
import tls from 'node:tls';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const HEAD_BYTES = 9;
const INITIAL_WINDOW_SIZE = 4;
const END_STREAM_AND_HEADERS = 5;
/** Indices in HPACK's static table, of `:path` and of `authorization`; the value follows. */
const PATH = 4;
const AUTHORIZATION = 23;

export const FrameType = { DATA: 0, HEADERS: 1, RST_STREAM: 3, SETTINGS: 4, PING: 6, GOAWAY: 7, WINDOW_UPDATE: 8 };

export interface HeardFrame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** An HTTP/2 client, frame by frame, that accepts no byte of any response body: its streams begin with windows of zero bytes. */
export class WithholdingClient {
  readonly heard: HeardFrame[] = [];
  readonly #socket: tls.TLSSocket;
  #rest: Buffer = Buffer.alloc(0);
  #nextStream = 1;
  #wake: (() => void)[] = [];

  private constructor(port: number) {
    this.#socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2'] });
    this.#socket.on('error', () => undefined).on('close', () => this.#tell());
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  static async to(port: number, initialWindow = 0): Promise<WithholdingClient> {
    const client = new WithholdingClient(port);
    await once(client.#socket, 'secureConnect');
    const setting = Buffer.alloc(6);
    setting.writeUInt16BE(INITIAL_WINDOW_SIZE, 0);
    setting.writeUInt32BE(initialWindow, 2);
    client.#socket.write(Buffer.concat([PREFACE, frame(FrameType.SETTINGS, 0, 0, setting)]));
    return client;
  }

  get closed(): boolean {
    return this.#socket.closed;
  }

  /** Sends GETs of a path in one write; returns their stream ids. */
  get(path: string, token: string, count = 1): number[] {
    const streams = Array.from({ length: count }, (_, at) => this.#nextStream + 2 * at);
    this.#nextStream += 2 * count;
    // :method GET, :scheme https, :authority x
    const credentials = token === '' ? Buffer.alloc(0) : literal(AUTHORIZATION, `Bearer ${token}`);
    const block = Buffer.concat([Buffer.from([0x82, 0x87, 0x41, 1, 120]), literal(PATH, path), credentials]);
    this.#socket.write(Buffer.concat(streams.map((stream) => frame(FrameType.HEADERS, END_STREAM_AND_HEADERS, stream, block))));
    return streams;
  }

  send(type: number, flags: number, stream: number, payload?: Buffer): void {
    this.#socket.write(frame(type, flags, stream, payload));
  }

  /** Stops reading the connection, including its frames. */
  pause(): void {
    this.#socket.pause();
  }

  /** The received frames of a type, once there are this many; fewer if the connection ends first. */
  async frames(type: number, count: number): Promise<HeardFrame[]> {
    for (;;) {
      const frames = this.heard.filter((each) => each.type === type);
      if (frames.length >= count || this.closed) return frames;
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }

  async end(): Promise<void> {
    while (!this.closed) await new Promise<void>((resolve) => this.#wake.push(resolve));
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    let rest = Buffer.concat([this.#rest, chunk]);
    while (rest.length >= HEAD_BYTES && rest.length >= HEAD_BYTES + rest.readUIntBE(0, 3)) {
      const end = HEAD_BYTES + rest.readUIntBE(0, 3);
      this.heard.push({
        type: rest.readUInt8(3),
        flags: rest.readUInt8(4),
        stream: rest.readUInt32BE(5),
        payload: rest.subarray(HEAD_BYTES, end),
      });
      rest = rest.subarray(end);
    }
    this.#rest = rest;
    this.#tell();
  }

  #tell(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head.set([type, flags], 3);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A header field with an indexed name that is not added to any table. Values of up to 126 bytes. */
function literal(place: number, value: string): Buffer {
  const name = place < 15 ? [place] : [15, place - 15];
  return Buffer.concat([Buffer.from([...name, value.length]), Buffer.from(value)]);
}
