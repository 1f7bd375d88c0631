import type { TLSSocket } from 'node:tls';
import type { Worker, WorkTurns } from '../connections/work-turns.js';
import type { ConnectionAccount } from '../ledger/connection-account.js';
import { ErrorCode } from './error-code.js';
import { type Frame, FrameReader } from './frame-reader.js';
import { FrameType } from './frames.js';

export interface PacedReaderOptions {
  readonly socket: TLSSocket;
  readonly account: ConnectionAccount;
  readonly turns: WorkTurns;
  readonly onFrame: (frame: Frame) => void;
  /** Nothing more can be read. */
  readonly onFault: (code: ErrorCode) => void;
}

/**
 * Reads the frames of a connection. Its requests take turns with those of other connections; nothing more is read while one has to wait.
 */
export class PacedReader implements Worker {
  readonly #socket: TLSSocket;
  readonly #account: ConnectionAccount;
  readonly #reader: FrameReader;
  readonly #turns: WorkTurns;
  readonly #onFault: (code: ErrorCode) => void;

  constructor({ socket, account, turns, onFrame, onFault }: PacedReaderOptions) {
    this.#socket = socket;
    this.#account = account;
    this.#turns = turns;
    this.#onFault = onFault;
    this.#reader = new FrameReader(account, onFrame, (type) => type !== FrameType.HEADERS || this.#mayBegin());
    socket.on('data', (chunk: Buffer) => this.#check(this.#reader.read(chunk)));
  }

  get owner(): object {
    return this.#account.owner;
  }

  /** Delivers no more frames; further input is dropped. */
  stop(): void {
    this.#reader.stop();
    this.#socket.resume();
  }

  goOn(): void {
    if (!this.#reader.isWaiting) return;
    this.#check(this.#reader.goOn());
    if (!this.#reader.isWaiting) this.#socket.resume();
  }

  #mayBegin(): boolean {
    if (this.#turns.take(this)) return true;
    this.#socket.pause();
    return false;
  }

  #check(code: ErrorCode): void {
    if (code !== ErrorCode.NO_ERROR) this.#onFault(code);
  }
}
