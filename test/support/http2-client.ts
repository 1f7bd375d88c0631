import { type Duplex, duplexPair } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { type Frame, FrameReader } from '../../src/endpoints/http2/frame-reader.js';
import { FrameType, settingsFrame } from '../../src/endpoints/http2/frames.js';
import { type Http2Limits, type OnHttp2Request, Http2Connection } from '../../src/endpoints/http2/http2-connection.js';
import type { Http2Request } from '../../src/endpoints/http2/http2-request.js';
import type { Http2Response } from '../../src/endpoints/http2/http2-response.js';
import { MemoryLedger, openAccount } from '../../src/endpoints/ledger/memory-ledger.js';
import { PREFACE } from './http2-frames.js';

export const LIMITS = { maxStreams: 10, maxHeaderBytes: 20_000, maxHeaders: 50 };
/** GET https://x/ */
export const GET = [0x82, 0x87, 0x84, 0x41, 1, 120];
/** POST https://x/ */
export const POST = [0x83, 0x87, 0x84, 0x41, 1, 120];

export interface Http2ClientOptions {
  readonly limits?: Partial<Http2Limits>;
  readonly ledger?: MemoryLedger;
}

/** The client end of an HTTP/2 connection, frame by frame, without TLS. */
export class Http2Client {
  readonly frames: Frame[] = [];
  readonly requests: Http2Request[] = [];
  readonly responses: Http2Response[] = [];
  readonly ledger: MemoryLedger;
  readonly connection: Http2Connection;
  readonly socket: Duplex;
  closed = 0;
  readonly #reader = new FrameReader(
    new MemoryLedger().open('', () => undefined),
    ({ payload, ...rest }) => this.frames.push({ ...rest, payload: Buffer.from(payload) }),
  );

  constructor(onRequest?: OnHttp2Request, { limits, ledger = new MemoryLedger() }: Http2ClientOptions = {}) {
    this.ledger = ledger;
    const [server, client] = duplexPair();
    this.socket = client;
    // The reader is a server's, so it expects a preface.
    this.#reader.read(PREFACE);
    client.on('data', (chunk: Buffer) => this.#reader.read(chunk));
    const serve: OnHttp2Request = (request, response) => {
      this.requests.push(request);
      this.responses.push(response);
      response.on('close', () => (this.closed += 1));
      onRequest?.(request, response);
    };
    const socket = server as TLSSocket;
    this.connection = new Http2Connection({
      socket,
      account: openAccount(ledger, socket),
      limits: { ...LIMITS, ...limits },
      onRequest: serve,
    });
  }

  begin(settings: Parameters<typeof settingsFrame>[0] = []): this {
    return this.send(PREFACE, settingsFrame(settings));
  }

  send(...parts: readonly Buffer[]): this {
    this.socket.write(Buffer.concat(parts));
    return this;
  }

  of(type: number): Frame[] {
    return this.frames.filter((each) => each.type === type);
  }

  /** The error codes of the received GOAWAYs. */
  get goaways(): number[] {
    return this.of(FrameType.GOAWAY).map(({ payload }) => payload.readUInt32BE(4));
  }

  get resets(): [number, number][] {
    return this.of(FrameType.RST_STREAM).map(({ stream, payload }) => [stream, payload.readUInt32BE(0)]);
  }

  get body(): string {
    return Buffer.concat(this.of(FrameType.DATA).map(({ payload }) => payload)).toString();
  }
}

/** Lets all pending callbacks run. */
export async function settle(turns = 12): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}
