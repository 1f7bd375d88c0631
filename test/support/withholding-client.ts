import { once } from 'node:events';
import tls from 'node:tls';
import { type ReceivedFrame, FrameSplitter } from './frame-splitter.js';
import { frame, get, headers, INITIAL_WINDOW_SIZE, literal, PREFACE, settings } from './http2-frames.js';

/** An HTTP/2 client, frame by frame, that accepts no byte of any response body: its streams begin with windows of zero bytes. */
export class WithholdingClient {
  readonly heard: ReceivedFrame[] = [];
  readonly #socket: tls.TLSSocket;
  readonly #splitter = new FrameSplitter();
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
    client.#socket.write(Buffer.concat([PREFACE, settings([[INITIAL_WINDOW_SIZE, initialWindow]])]));
    return client;
  }

  get closed(): boolean {
    return this.#socket.closed;
  }

  /** Sends GETs of a path in one write; returns their stream ids. */
  get(path: string, token: string, count = 1): number[] {
    const streams = Array.from({ length: count }, (_, at) => this.#nextStream + 2 * at);
    this.#nextStream += 2 * count;
    const block = [...get(path), ...(token === '' ? [] : literal('authorization', `Bearer ${token}`))];
    this.#socket.write(Buffer.concat(streams.map((stream) => headers(stream, block))));
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
  async frames(type: number, count: number): Promise<ReceivedFrame[]> {
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
    this.heard.push(...this.#splitter.split(chunk));
    this.#tell();
  }

  #tell(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
