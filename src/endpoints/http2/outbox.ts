import type { TLSSocket } from 'node:tls';
import { accountOf } from '../ledger/memory-ledger.js';

/** Size at which a write is full and responses have to wait. */
const MAX_BATCH_BYTES = 64 * 1024;
/**
 * Maximum number of bytes waiting for a client that does not read. Responses stop long before, so these are replies to frames that the
 * client keeps sending.
 */
const MAX_UNREAD_BYTES = 256 * 1024;

/** Smaller batches are joined here; larger ones are left to the socket, which needs no buffer that has to be collected. */
const MAX_JOINED_BYTES = 16 * 1024;

type Callback = () => void;

/** Outgoing bytes of one connection: everything pushed in one turn of the event loop leaves in one write. */
export class Outbox {
  readonly #socket: TLSSocket;
  readonly #onRoom: Callback;
  #parts: Buffer[] = [];
  #bytes = 0;
  #callbacks: Callback[] = [];
  /** Callbacks of writes that the kernel has not taken yet, oldest first. */
  #inFlight: Callback[][] = [];
  readonly #flush = (): void => this.flush();
  readonly #onWritten = (): void => runAll(this.#inFlight.shift());

  /** Calls `onRoom` when responses need not wait any more. */
  constructor(socket: TLSSocket, onRoom: Callback) {
    this.#socket = socket;
    this.#onRoom = onRoom;
    socket.on('drain', onRoom);
    socket.on('close', () => this.#abandon());
  }

  /** Whether responses have to wait. */
  get isFull(): boolean {
    return this.#bytes >= MAX_BATCH_BYTES || this.#socket.writableNeedDrain;
  }

  /** Calls `written` when the kernel has taken the bytes, or when it never will. */
  push(part: Buffer, written?: Callback): void {
    if (this.#bytes === 0) process.nextTick(this.#flush);
    this.#parts.push(part);
    this.#bytes += part.length;
    if (written) this.#callbacks.push(written);
  }

  flush(): void {
    if (this.#bytes === 0 || !this.#socket.writable) return;
    const wasFull = this.#bytes >= MAX_BATCH_BYTES;
    this.#write();
    if (this.#socket.writableLength > MAX_UNREAD_BYTES) this.#cutOff();
    else if (wasFull && !this.isFull) this.#onRoom();
  }

  #cutOff(): void {
    accountOf(this.#socket).met('replies');
    this.#socket.destroy();
  }

  #write(): void {
    const parts = this.#bytes < MAX_JOINED_BYTES && this.#parts.length > 1 ? [Buffer.concat(this.#parts, this.#bytes)] : this.#parts;
    const callbacks = this.#callbacks;
    this.#parts = [];
    this.#bytes = 0;
    this.#callbacks = [];
    this.#inFlight.push(callbacks);
    // With cork(), even a single part would pass through the stream's own queue.
    const isOne = parts.length === 1;
    if (!isOne) this.#socket.cork();
    parts.forEach((part, at) => this.#socket.write(part, at === parts.length - 1 ? this.#onWritten : undefined));
    if (!isOne) this.#socket.uncork();
  }

  #abandon(): void {
    const left = [...this.#inFlight, this.#callbacks];
    this.#inFlight = [];
    this.#callbacks = [];
    left.forEach(runAll);
  }
}

function runAll(callbacks: readonly Callback[] = []): void {
  for (const callback of callbacks) callback();
}
