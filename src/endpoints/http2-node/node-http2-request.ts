import { type IncomingHttpHeaders, type ServerHttp2Stream, constants } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { accountOf } from '../ledger/memory-ledger.js';
import { type ConnectionAccount, Held } from '../ledger/connection-account.js';
import { HeldBytes } from '../ledger/held-bytes.js';
import type { BodyOutcome, RawHttp2Request } from '../exchange/raw-exchange.js';

const CONTINUE = 100;

/** A request parsed by node:http2. */
export class NodeHttp2Request implements RawHttp2Request {
  readonly httpVersion = '2.0';
  readonly httpVersionMajor = 2;
  readonly httpVersionMinor = 0;
  method: string;
  url: string;
  complete: boolean;
  aborted = false;
  readonly #stream: ServerHttp2Stream;

  constructor(
    stream: ServerHttp2Stream,
    readonly headers: IncomingHttpHeaders,
    readonly rawHeaders: readonly string[],
    readonly socket: TLSSocket,
  ) {
    this.#stream = stream;
    this.method = headers[':method'] ?? 'GET';
    this.url = headers[':path'] ?? '/';
    this.complete = stream.endAfterHeaders;
    stream.once('end', () => (this.complete = !stream.aborted));
    stream.once('aborted', () => (this.aborted = !this.complete));
  }

  get account(): ConnectionAccount {
    return accountOf(this.socket);
  }

  collect(limit: number, done: (outcome: BodyOutcome) => void): void {
    const stream = this.#stream;
    if (stream.destroyed) return done('gone');
    this.#askForBody();
    const held = new HeldBytes(this.account, Held.READS);
    stream.once('close', () => held.release());
    const onData = (chunk: Buffer) => {
      if (held.length + chunk.length > limit) finish('too large');
      else if (!held.append(chunk)) stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    };
    // A stream that was cut off may also emit `end`.
    const onEnd = () => finish(stream.aborted ? 'gone' : held.take());
    const onGone = () => finish('gone');
    const finish = (outcome: BodyOutcome) => {
      stream.off('data', onData).off('end', onEnd).off('aborted', onGone).off('close', onGone);
      // A paused stream grants its client no more window.
      if (outcome === 'too large') stream.pause();
      done(outcome);
    };
    stream.on('data', onData).on('end', onEnd).on('aborted', onGone).on('close', onGone);
  }

  #askForBody(): void {
    if (this.headers.expect?.toLowerCase() !== '100-continue' || this.complete || this.#stream.headersSent) return;
    this.#stream.additionalHeaders({ ':status': CONTINUE });
  }
}
