import type { TLSSocket } from 'node:tls';
import { type Peer, setPeer } from '../connections/watched-connection.js';
import { CONNECTION_WINDOW } from '../connections/connection-limits.js';
import { inTurns, WorkTurns } from '../connections/work-turns.js';
import { type ConnectionAccount, type LimitMet, Held, REQUEST_BYTES } from '../ledger/connection-account.js';
import { ResponseSender } from './response-sender.js';
import { ClientFloods, ResetStreams } from './client-floods.js';
import { ClientSettings, serverPreface } from './client-settings.js';
import {
  ErrorCode,
  Flag,
  FrameType,
  MAX_STREAM_ID,
  MAX_WINDOW,
  PING,
  SETTINGS_ACK,
  goawayFrame,
  headerFrames,
  pingAck,
  resetFrame,
  windowUpdateFrame,
  withoutPadding,
} from './frames.js';
import { type Frame, PacedReader, checkFrame, dependsOnItself } from './frame-reader.js';
import { HeaderBlock, HeaderIntake } from './header-intake.js';
import type { HeaderField } from './hpack/header-field.js';
import { type RequestConnection, Http2Request, areTrailers, requestHead } from './http2-request.js';
import { type ResponseConnection, Http2Response } from './http2-response.js';
import { OpenStreams } from './open-streams.js';
import { Outbox } from './outbox.js';

/** Time limit for the preface with the first settings, and for a header block from its first frame to its last. */
const PREFACE_MS = 10_000;
const HEADERS_MS = 32_000;
/** Time between the last frame sent to a client and the end of its connection, unless the client closes it earlier. */
const LINGER_MS = 1000;
/** Number of responses moved, or streams examined, that counts as one frame. */
const IDLE_STEPS_PER_FRAME = 16;
const PRIORITY_BYTES = 5;

export interface Http2Limits {
  /** Maximum number of concurrent streams on one connection. */
  readonly maxStreams: number;
  /**
   * Maximum decoded size of all headers of a request, each counted with 32 extra bytes; also the maximum size of a header block as sent.
   */
  readonly maxHeaderBytes: number;
  readonly maxHeaders: number;
}

export type OnHttp2Request = (request: Http2Request, response: Http2Response) => void;

export interface Http2ConnectionOptions {
  readonly socket: TLSSocket;
  /** Closed together with the socket by the code that opened it. */
  readonly account: ConnectionAccount;
  readonly limits: Http2Limits;
  readonly onRequest: OnHttp2Request;
  /** Shared by all connections of the server; if absent, used for this connection alone. */
  readonly turns?: WorkTurns;
}

/**
 * The server's side of an HTTP/2 connection (RFC 9113). States: *open*; *leaving* (a GOAWAY names the last stream; streams in progress
 * continue); *over* (nothing more is read). No input from a client makes it throw: a fault of one request resets its stream, any other
 * fault ends the connection.
 */
export class Http2Connection implements RequestConnection, ResponseConnection, Peer {
  readonly socket: TLSSocket;
  readonly account: ConnectionAccount;
  readonly #limits: Http2Limits;
  readonly #onRequest: OnHttp2Request;
  readonly #turns: WorkTurns;
  readonly #reader: PacedReader;
  readonly #headerIntake: HeaderIntake;
  readonly #outbox: Outbox;
  readonly #sender: ResponseSender;
  readonly #floods = new ClientFloods();
  readonly #streams = new OpenStreams();
  readonly #resets = new ResetStreams();
  readonly #client = new ClientSettings();
  #state: 'open' | 'leaving' | 'over' = 'open';
  /** Whether the client's first SETTINGS frame has arrived. */
  #settled = false;
  #block: HeaderBlock | undefined;
  #lastStream = 0;
  /** Whether the client skipped stream numbers: those streams are closed without ever having been open. */
  #skipsStreams = false;
  #window = CONNECTION_WINDOW;
  #closeTimer: NodeJS.Timeout | undefined;

  constructor({ socket, account, limits, onRequest, turns = new WorkTurns() }: Http2ConnectionOptions) {
    this.socket = socket;
    this.account = account;
    this.#limits = limits;
    this.#turns = turns;
    this.#onRequest = onRequest;
    this.#headerIntake = new HeaderIntake(account, { bytes: limits.maxHeaderBytes, fields: limits.maxHeaders });
    this.#outbox = new Outbox(socket, () => this.#state !== 'over' && this.#sender.run());
    this.#sender = new ResponseSender(this.#outbox, {
      sent: (bytes) => this.#floods.earn(bytes),
      finished: ({ request }) => this.#answered(request),
    });
    setPeer(socket, this);
    this.#waitFor(PREFACE_MS);
    this.#reader = new PacedReader({
      ...{ socket, account, turns },
      onFrame: (frame) => this.#take(frame),
      onFault: (code) => this.#fail(code),
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#gone());
    this.#outbox.push(serverPreface(limits));
  }

  /** Whether no request is in progress. */
  get isIdle(): boolean {
    return this.#streams.size === 0;
  }

  /** Whether only the client can end the requests in progress. */
  get isAwaited(): boolean {
    return !this.isIdle;
  }

  ping(): void {
    if (this.#state !== 'over') this.#outbox.push(PING);
  }

  endStalled(now: number, stallMs: number): void {
    for (const response of this.#streams.all()) {
      if (!this.#sender.isStalled(response, now, stallMs)) continue;
      this.account.met('stalled');
      this.#reset(response.request.stream, ErrorCode.CANCEL);
    }
  }

  /** Tells the client to use another connection; streams already on their way are still accepted. */
  announceEnd(): void {
    if (this.#state === 'open') this.#outbox.push(goawayFrame(MAX_STREAM_ID, ErrorCode.NO_ERROR));
  }

  /** Accepts no more streams, and ends the connection when those in progress have ended. */
  leave(): void {
    if (this.#state !== 'open') return;
    this.#state = 'leaving';
    this.#outbox.push(goawayFrame(this.#lastStream, ErrorCode.NO_ERROR));
    if (this.isIdle) this.#end();
  }

  giveBack(stream: number, bytes: number): void {
    if (this.#state !== 'over') this.#outbox.push(windowUpdateFrame(stream, bytes));
  }

  sendContinue(stream: number): void {
    if (this.#state !== 'over') this.#outbox.push(headerFrames(stream, this.#sender.encoder.encode(100, {}), false));
  }

  /** Nothing is sent after a GOAWAY, not even by responses that have not been ended yet. */
  wake(response: Http2Response): void {
    if (this.#state !== 'over') this.#sender.wake(response);
  }

  cutOff({ request }: Http2Response): void {
    this.#reset(request.stream, ErrorCode.INTERNAL_ERROR);
  }

  #take(frame: Frame): void {
    const { type, stream } = frame;
    if (this.#block && (type !== FrameType.CONTINUATION || stream !== this.#block.stream)) return this.#fail(ErrorCode.PROTOCOL_ERROR);
    if (!this.#settled && type !== FrameType.SETTINGS) return this.#fail(ErrorCode.PROTOCOL_ERROR);
    const code = checkFrame(frame);
    if (code !== ErrorCode.NO_ERROR) return this.#fail(code);
    switch (type) {
      case FrameType.DATA:
        return this.#data(frame);
      case FrameType.HEADERS:
        return this.#headers(frame);
      case FrameType.CONTINUATION:
        return this.#continuation(frame);
      default:
        return this.#control(frame);
    }
  }

  /** Counts a frame and the idle steps of the frames before it. Returns false if the budget is exceeded; the connection is then over. */
  #spend(): boolean {
    const frames = 1 + this.#sender.idleSteps / IDLE_STEPS_PER_FRAME;
    this.#sender.idleSteps = 0;
    return this.#floods.spend(frames) || this.#failFor('frames');
  }

  /** Like `#spend`, for a stream that is reset by the client or because of its fault. */
  #spendReset(): boolean {
    return this.#floods.allowReset() || this.#failFor('resets');
  }

  #failFor(limit: LimitMet): false {
    if (this.#state !== 'over') this.account.met(limit);
    this.#fail(ErrorCode.ENHANCE_YOUR_CALM);
    return false;
  }

  #control(frame: Frame): void {
    if (!this.#spend()) return;
    switch (frame.type) {
      case FrameType.RST_STREAM:
        return this.#resetByClient(frame.stream);
      case FrameType.SETTINGS:
        return this.#settings(frame);
      case FrameType.PING:
        return frame.flags & Flag.ACK ? undefined : this.#outbox.push(pingAck(frame.payload));
      case FrameType.WINDOW_UPDATE:
        return this.#windowUpdate(frame);
      case FrameType.PRIORITY:
        return dependsOnItself(frame.stream, frame.payload) ? this.#fail(ErrorCode.PROTOCOL_ERROR) : undefined;
      // GOAWAY requires no action, because this server opens no streams. Unknown frames are ignored.
    }
  }

  #data({ stream, flags, payload }: Frame): void {
    const data = withoutPadding(flags, payload);
    if (!data) return this.#fail(ErrorCode.PROTOCOL_ERROR);
    const isLast = (flags & Flag.END_STREAM) !== 0;
    if (!this.#spend()) return;
    if (!this.#takeWindow(payload.length)) return this.#fail(ErrorCode.FLOW_CONTROL_ERROR);
    const request = this.#streams.get(stream)?.request;
    if (!request) return this.#strayData(stream);
    if (request.complete) return this.#refuse(stream, ErrorCode.STREAM_CLOSED);
    let code = request.receive(data, payload.length, isLast);
    if (code === ErrorCode.NO_ERROR && isLast) code = request.end();
    if (code !== ErrorCode.NO_ERROR) return this.#refuse(stream, code);
    if (!request.isDiscarded) this.#floods.earn(data.length);
    request.advance();
  }

  #strayData(stream: number): void {
    if (stream > this.#lastStream) this.#fail(ErrorCode.PROTOCOL_ERROR);
    else if (!this.#resets.has(stream)) this.#refuse(stream, ErrorCode.STREAM_CLOSED);
  }

  #takeWindow(bytes: number): boolean {
    this.#window -= bytes;
    if (this.#window < 0) return false;
    if (this.#window < CONNECTION_WINDOW / 2) {
      this.#outbox.push(windowUpdateFrame(0, CONNECTION_WINDOW - this.#window));
      this.#window = CONNECTION_WINDOW;
    }
    return true;
  }

  #headers({ stream, flags, payload }: Frame): void {
    const content = withoutPadding(flags, payload);
    const skipped = flags & Flag.PRIORITY ? PRIORITY_BYTES : 0;
    if (stream % 2 === 0 || !content || content.length < skipped) return this.#fail(ErrorCode.PROTOCOL_ERROR);
    if (skipped > 0 && dependsOnItself(stream, content)) return this.#fail(ErrorCode.PROTOCOL_ERROR);
    const endsStream = (flags & Flag.END_STREAM) !== 0;
    const bytes = skipped > 0 ? content.subarray(skipped) : content;
    if (flags & Flag.END_HEADERS) return this.#headersComplete(stream, endsStream, bytes);
    this.#block = new HeaderBlock(stream, endsStream, this.account, this.#limits.maxHeaderBytes);
    if (this.#block.add(bytes)) this.#waitFor(HEADERS_MS);
    else this.#failFor('headers');
  }

  #continuation({ flags, payload }: Frame): void {
    const block = this.#block;
    if (!block) return this.#fail(ErrorCode.PROTOCOL_ERROR);
    if (!this.#spend()) return;
    if (!block.add(payload)) return void this.#failFor('headers');
    if (!(flags & Flag.END_HEADERS)) return;
    this.#block = undefined;
    clearTimeout(this.#closeTimer);
    this.#headersComplete(block.stream, block.endsStream, block.take());
  }

  /** Every block is decoded, even if it is not needed: the next one may refer to it. */
  #headersComplete(stream: number, endsStream: boolean, bytes: Buffer): void {
    const fields = this.#headerIntake.decode(bytes);
    if (fields === 'malformed') return this.#fail(ErrorCode.COMPRESSION_ERROR);
    if (fields === 'refused') return this.#fail(ErrorCode.ENHANCE_YOUR_CALM);
    const known = this.#streams.get(stream)?.request;
    if (known) this.#trailers(known, fields, endsStream);
    else if (stream > this.#lastStream) this.#open(stream, fields, endsStream);
    else if (!this.#resets.has(stream)) this.#fail(this.#skipsStreams ? ErrorCode.PROTOCOL_ERROR : ErrorCode.STREAM_CLOSED);
    else this.#spend();
  }

  #trailers(request: Http2Request, fields: HeaderField[] | undefined, endsStream: boolean): void {
    const { stream } = request;
    if (request.complete) return this.#refuse(stream, ErrorCode.STREAM_CLOSED);
    if (!endsStream || !fields || !areTrailers(fields)) return this.#refuse(stream, ErrorCode.PROTOCOL_ERROR);
    const code = request.end();
    if (code === ErrorCode.NO_ERROR) request.advance();
    else this.#refuse(stream, code);
  }

  #open(stream: number, fields: HeaderField[] | undefined, endsStream: boolean): void {
    if (stream > this.#lastStream + 2) this.#skipsStreams = true;
    this.#lastStream = stream;
    if (this.#state === 'leaving' || this.#streams.size >= this.#limits.maxStreams) return this.#refuse(stream, ErrorCode.REFUSED_STREAM);
    if (!fields) return this.#refuse(stream, ErrorCode.ENHANCE_YOUR_CALM);
    const head = requestHead(fields);
    if (!head) return this.#refuse(stream, ErrorCode.PROTOCOL_ERROR);
    const headBytes = this.#headerIntake.listBytes + REQUEST_BYTES;
    const request = new Http2Request({ stream, head, headBytes, connection: this });
    if (endsStream && request.end() !== ErrorCode.NO_ERROR) return this.#refuse(stream, ErrorCode.PROTOCOL_ERROR);
    if (!this.account.charge(Held.HEADERS, headBytes)) return this.#refuse(stream, ErrorCode.ENHANCE_YOUR_CALM);
    const response = new Http2Response(request, this);
    this.#streams.add(response);
    this.account.openStream();
    this.#onRequest(request, response);
  }

  /** The response has been sent. An incomplete request would keep its stream open for as long as the client likes. */
  #answered(request: Http2Request): void {
    const { stream, complete } = request;
    if (!complete) {
      this.#outbox.push(resetFrame(stream, ErrorCode.NO_ERROR));
      this.#resets.add(stream);
      request.abort();
    }
    this.#forget(stream);
    // No other response is in progress that could share the write.
    if (this.isIdle) this.#outbox.flush();
  }

  #forget(stream: number): void {
    const response = this.#streams.delete(stream);
    if (response) this.#release(response);
    if (this.#state === 'leaving' && this.isIdle) this.#end();
  }

  #release({ request }: Http2Response): void {
    request.discard();
    this.account.release(Held.HEADERS, request.headBytes);
    this.account.closeStream();
  }

  /** Resets a stream because of the client's fault. A client that causes resets is treated like one that sends them. */
  #refuse(stream: number, code: ErrorCode): void {
    if (this.#spendReset()) this.#reset(stream, code);
  }

  #reset(stream: number, code: ErrorCode): void {
    if (this.#state === 'over') return;
    this.#outbox.push(resetFrame(stream, code));
    this.#resets.add(stream);
    this.#abandon(stream);
  }

  #abandon(stream: number): void {
    const response = this.#streams.get(stream);
    if (response) this.#sender.forget(response);
    this.#forget(stream);
    response?.abandon();
  }

  #resetByClient(stream: number): void {
    if (stream > this.#lastStream) this.#fail(ErrorCode.PROTOCOL_ERROR);
    else if (this.#spendReset() && this.#streams.get(stream)) this.#abandon(stream);
  }

  #settings({ flags, payload }: Frame): void {
    if (flags & Flag.ACK) {
      if (payload.length > 0) this.#fail(ErrorCode.FRAME_SIZE_ERROR);
      else if (!this.#settled) this.#fail(ErrorCode.PROTOCOL_ERROR);
      return;
    }
    if (!this.#settled) clearTimeout(this.#closeTimer);
    this.#settled = true;
    const before = this.#client.initialWindow;
    const code = this.#client.take(payload);
    if (code !== ErrorCode.NO_ERROR) return this.#fail(code);
    // Must precede any frame that these settings allow.
    this.#outbox.push(SETTINGS_ACK);
    if (this.#client.tableBytes !== undefined) this.#sender.encoder.limitTable(this.#client.tableBytes);
    const { initialWindow } = this.#client;
    if (initialWindow === before || this.#sender.changeInitialWindow(initialWindow, this.#streams)) return;
    this.#fail(ErrorCode.FLOW_CONTROL_ERROR);
  }

  #windowUpdate({ stream, payload }: Frame): void {
    const bytes = payload.readUInt32BE(0) & MAX_WINDOW;
    if (stream > this.#lastStream || bytes === 0) return this.#fail(ErrorCode.PROTOCOL_ERROR);
    if (stream === 0) {
      if (!this.#sender.widen(bytes)) this.#fail(ErrorCode.FLOW_CONTROL_ERROR);
      return;
    }
    const response = this.#streams.get(stream);
    if (response && !this.#sender.widenResponse(response, bytes)) this.#refuse(stream, ErrorCode.FLOW_CONTROL_ERROR);
  }

  /** Ends the connection because the client broke the protocol or exceeded a limit. */
  #fail(code: ErrorCode): void {
    if (this.#state === 'over') return;
    this.#outbox.push(goawayFrame(this.#lastStream, code));
    this.#end();
  }

  /** Nothing more is read; frames waiting to be sent still leave. */
  #end(): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#reader.stop();
    this.#block?.take();
    this.#block = undefined;
    this.#abandonAll();
    this.#outbox.flush();
    this.socket.end();
    this.#waitFor(LINGER_MS);
  }

  /** Cuts the connection off after `ms`, unless the wait is ended earlier. */
  #waitFor(ms: number): void {
    clearTimeout(this.#closeTimer);
    this.#closeTimer = setTimeout(() => this.socket.destroy(), ms);
    this.#closeTimer.unref();
  }

  #abandonAll(): void {
    inTurns(this.#turns, this.#streams.all(), ({ request }) => this.#abandon(request.stream));
  }

  #gone(): void {
    clearTimeout(this.#closeTimer);
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#reader.stop();
    this.#abandonAll();
  }
}
