import type { OutgoingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import type { Watch, WatchItem } from '../../storage/object-store.js';
import { longTimer } from '../../time/scheduler.js';
import type { CountFrames } from '../metrics/request-series.js';
import type { ApiRequest } from '../request/api-request.js';
import { responseHeaders } from '../response/send-response.js';
import type { EventEncoder } from './event-encoder.js';

/** The destination of a watch's frames: an HTTP response or a WebSocket. */
export interface WatchSink {
  /** Sends the headers at once, so that the client knows that the watch has started. */
  open(): void;
  /** Sends frames, at least one; `done` is called when their bytes are on their way. */
  write(frames: readonly Buffer[], done: () => void): void;
  /** Ends the stream after what is written. */
  end(): void;
  /** Aborts the stream of a client that does not read. */
  destroy(): void;
}

/** How long before its timeout a watch sends a bookmark, so that the client can continue from there (apiserver cacher/cache_watcher.go). */
const BOOKMARK_BEFORE_END_MS = 2000;
/** How long an ended stream may take to send its remaining data. */
const LINGER_MS = 5000;

export interface WatchStreamOptions {
  readonly encoder: EventEncoder;
  readonly sink: WatchSink;
  /** Negative: ends immediately. */
  readonly timeoutMs: number;
  /** Sends a bookmark before the end. */
  readonly bookmarks: boolean;
  /** Counts the frames that are sent. */
  readonly count: CountFrames;
  /** Bookmarks wait until the initial events have been sent. */
  readonly initialEvents: boolean;
  /** Called if the store ends the watch because its client does not keep up. */
  onTooSlow(): void;
}

/**
 * One watch on its way to a client. States: *waiting* (the store has not started the watch yet; items are kept), *open*, *ended*. All items
 * of one delivery are sent in one write. Data that the client has not taken is reported to the store, which closes a watch that falls
 * behind.
 */
export class WatchStream {
  #options: WatchStreamOptions | undefined;
  readonly #timers: (() => void)[] = [];
  #early: readonly WatchItem[] | undefined = [];
  #watch: Watch | undefined;
  #unsent = 0;
  #ended = false;
  /** Whether the initial events are still being sent. */
  #initialEvents = false;

  /** The receiver to pass to the store. */
  readonly receive = (items: readonly WatchItem[]): void => {
    if (this.#early) this.#early = [...this.#early, ...items];
    else this.#send(items);
  };

  /** Starts the response, once the store has started the watch. */
  start(watch: Watch, options: WatchStreamOptions): void {
    this.#watch = watch;
    this.#options = options;
    this.#initialEvents = options.initialEvents;
    if (this.#ended) {
      watch.close();
      return;
    }
    const early = this.#early ?? [];
    this.#early = undefined;
    options.sink.open();
    if (options.timeoutMs < 0) return this.end();
    this.#startTimers(options);
    this.#send(early);
    void watch.closed.then(() => {
      if (watch.tooSlow) options.onTooSlow();
      this.end();
    });
  }

  /** Ends the stream: by the client, the timeout, the store or a shutdown. May be called again. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const cancel of this.#timers) cancel();
    this.#watch?.close();
    this.#options?.sink.end();
    if (this.#unsent > 0) this.#cutOffLater();
  }

  /** Without this, a client that stops reading would keep the response open forever. */
  #cutOffLater(): void {
    const timer = setTimeout(() => this.#unsent > 0 && this.#options?.sink.destroy(), LINGER_MS);
    timer.unref();
  }

  #startTimers({ timeoutMs, bookmarks }: WatchStreamOptions): void {
    this.#after(timeoutMs, () => this.end());
    if (bookmarks && timeoutMs > BOOKMARK_BEFORE_END_MS) this.#after(timeoutMs - BOOKMARK_BEFORE_END_MS, () => this.#lastBookmark());
  }

  #after(ms: number, run: () => void): void {
    this.#timers.push(longTimer(ms, run));
  }

  #lastBookmark(): void {
    const revision = this.#watch?.revision ?? 0;
    if (this.#options && !this.#initialEvents && revision > 0) this.#write([this.#options.encoder.bookmark(revision, false)]);
  }

  #send(items: readonly WatchItem[]): void {
    const encoder = this.#options?.encoder;
    if (this.#ended || !encoder) return;
    const frames: Buffer[] = [];
    let last = false;
    try {
      for (const item of items) {
        const frame = encoder.frame(item);
        if (frame) frames.push(frame);
        if (item.kind === 'bookmark' && item.initialEventsEnd) this.#initialEvents = false;
        if (item.kind === 'error') last = true;
      }
    } catch (error) {
      // The response has begun; as upstream, the stream just ends.
      if (!(error instanceof ApiError)) throw error;
      last = true;
    }
    if (frames.length > 0) this.#write(frames);
    if (last) this.end();
  }

  #write(frames: readonly Buffer[]): void {
    let bytes = 0;
    for (const frame of frames) bytes += frame.length;
    this.#unsent += bytes;
    this.#options?.count(frames);
    this.#options?.sink.write(frames, () => {
      this.#unsent -= bytes;
      if (!this.#ended) this.#watch?.reportBacklog(this.#unsent);
    });
    if (this.#unsent > bytes) this.#watch?.reportBacklog(this.#unsent);
  }
}

/** The chunked response of an ordinary watch. */
export function httpSink(request: ApiRequest, contentType: string, extra: OutgoingHttpHeaders = {}): WatchSink {
  const { response } = request;
  return {
    open() {
      if ('endless' in response) response.endless = true;
      response.writeHead(200, responseHeaders(request, { 'content-type': contentType, ...extra }));
      response.flushHeaders();
      void request.audit?.started(200);
    },
    write: (frames, done) => void response.write(joined(frames), done),
    end: () => void response.end(),
    destroy: () => void response.destroy(),
  };
}

function joined(frames: readonly Buffer[]): Buffer {
  const [first] = frames;
  return frames.length === 1 && first ? first : Buffer.concat(frames);
}

const compress = promisify(deflateRaw);

/** Upstream's level (apiserver handlers/responsewriters/compression.go). */
const OPTIONS = { level: 1, finishFlush: constants.Z_SYNC_FLUSH };
/** Shorter writes, such as single events, gain too little to be worth compressing for every watch. */
const SHORTEST_COMPRESSED = 2048;
/** Longer writes, such as the initial events, leave the event loop to a thread. */
const LONGEST_INLINE = 16 * 1024;

/**
 * Sends each write as a gzip member of its own, so that a watch that waits for events holds no state of a compressor (apiserver
 * handlers/watch.go perFlushGzipWriter). Writes keep their order.
 */
export function gzipSink(sink: WatchSink): WatchSink {
  let last: Promise<void> | undefined;
  const after = (run: () => void | Promise<void>): void => {
    const mine = Promise.resolve(last)
      .then(run)
      .catch(() => sink.destroy())
      .then(() => {
        if (last === mine) last = undefined;
      });
    last = mine;
  };
  return {
    open: () => sink.open(),
    write(frames, done) {
      const bytes = Buffer.concat(frames);
      if (bytes.length > LONGEST_INLINE) {
        const blocks = compress(bytes, OPTIONS);
        after(async () => sink.write(memberOf(bytes, await blocks), done));
        return;
      }
      const member = memberOf(bytes, bytes.length < SHORTEST_COMPRESSED ? storedBlocks(bytes) : deflateRawSync(bytes, OPTIONS));
      if (last) after(() => sink.write(member, done));
      else sink.write(member, done);
    },
    end: () => (last ? after(() => sink.end()) : sink.end()),
    destroy: () => sink.destroy(),
  };
}

/** The header of a member: deflate, no flags, no time, fastest, unknown system. */
const HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255]);
/** An empty stored block, after which decompressors hand over what they have; and the same as the last block of a member. */
const FLUSH = Buffer.from([0, 0, 0, 0xff, 0xff]);
const FINAL = Buffer.from([1, 0, 0, 0xff, 0xff]);

/**
 * A member (RFC 1952) of blocks that end with an empty one, plus a last one of its own. Go's reader hands over nothing of a member's last block
 * before it has the header of the next member (compress/gzip), which may be minutes away.
 */
function memberOf(bytes: Buffer, blocks: Buffer): Buffer[] {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(bytes), 0);
  trailer.writeUInt32LE(bytes.length, 4);
  return [Buffer.concat([HEAD, blocks, FINAL, trailer])];
}

/** Blocks that hold at most 64 KiB as they are. */
function storedBlocks(bytes: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(bytes.length, 1);
  head.writeUInt16LE(bytes.length ^ 0xffff, 3);
  return Buffer.concat([head, bytes, FLUSH]);
}
