import { EventEmitter } from 'node:events';
import type { SimulatedProcess } from '../world/simulated-process.js';
import type { World } from '../world/world.js';
import { network } from './network.js';

/** The other side of a connection. */
export interface Peer {
  receive(bytes: Buffer): void;
  closed(): void;
}

/** The part of net.Socket that pg uses. Data is delayed in both directions and keeps its order. */
export class SimulatedSocket extends EventEmitter {
  static world: World;
  readonly owner: SimulatedProcess | null;
  destroyed = false;
  writable = true;
  bytesRead = 0;
  /** Drops all data without notifying either side. */
  silent = false;
  #peer: Peer | undefined;
  #corked: Buffer[] | undefined;
  #lastActivity = 0;
  #idleMs: number | undefined;
  #cancelIdle: (() => void) | undefined;
  #toPeer = 0;
  #fromPeer = 0;
  readonly #world = SimulatedSocket.world;

  constructor() {
    super();
    this.owner = this.#world.current ?? null;
    this.owner?.onKill(() => this.#tellPeer());
  }

  connect(): this {
    const net = network(this.#world);
    this.#world.after(net.latency(), () => {
      if (this.destroyed || (this.owner && net.cutOff.has(this.owner))) return;
      const peer = net.accept(this);
      if (!peer) return this.destroy(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
      this.#peer = peer;
      net.opened(this);
      this.emit('connect');
    });
    return this;
  }

  write(bytes: Buffer, done?: () => void): boolean {
    if (this.destroyed) return false;
    if (done) process.nextTick(done);
    if (this.#corked) this.#corked.push(bytes);
    else this.#send(bytes);
    return true;
  }

  cork(): void {
    this.#corked ??= [];
  }

  uncork(): void {
    const bytes = this.#corked;
    this.#corked = undefined;
    if (bytes && bytes.length > 0 && !this.destroyed) this.#send(Buffer.concat(bytes));
  }

  end(): void {
    this.writable = false;
  }

  destroy(error?: Error): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.writable = false;
    this.#cancelIdle?.();
    this.#tellPeer();
    network(this.#world).ended(this);
    process.nextTick(() => {
      if (error) this.emit('error', error);
      this.emit('close');
    });
  }

  /** Called for the peer: data that it sends. */
  deliver(bytes: Buffer): void {
    this.#fromPeer = Math.max(this.#fromPeer, this.#world.now() + network(this.#world).latency());
    const arrive = () => {
      if (this.destroyed || this.silent) return;
      this.#active();
      this.bytesRead += bytes.length;
      this.emit('data', bytes);
    };
    this.#world.after(this.#fromPeer - this.#world.now(), arrive, this.owner);
  }

  /** Called for the peer: it has closed, with or without an error. */
  hangUp(error?: Error): void {
    this.#fromPeer = Math.max(this.#fromPeer, this.#world.now() + network(this.#world).latency());
    this.#world.after(this.#fromPeer - this.#world.now(), () => void (this.silent || this.destroy(error)), this.owner);
  }

  setTimeout(ms: number): this {
    this.#cancelIdle?.();
    this.#cancelIdle = undefined;
    this.#idleMs = ms;
    this.#active();
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  /** Behaves like a socket's timer: every activity restarts it, and after it has expired, the next activity does. */
  #active(): void {
    this.#lastActivity = this.#world.now();
    if (this.#idleMs !== undefined && !this.#cancelIdle) this.#awaitIdle(this.#idleMs, this.#idleMs);
  }

  #awaitIdle(wait: number, ms: number): void {
    this.#cancelIdle = this.#world.after(
      wait,
      () => {
        const left = this.#lastActivity + ms - this.#world.now();
        if (left > 1e-6) return this.#awaitIdle(left, ms);
        this.#cancelIdle = undefined;
        this.emit('timeout');
      },
      this.owner,
    );
  }

  #send(bytes: Buffer): void {
    const peer = this.#peer;
    if (!peer) return;
    this.#active();
    const copy = Buffer.from(bytes);
    this.#toPeer = Math.max(this.#toPeer, this.#world.now() + network(this.#world).latency());
    this.#world.after(this.#toPeer - this.#world.now(), () => void (this.silent || peer.receive(copy)), NOBODY);
  }

  #tellPeer(): void {
    const peer = this.#peer;
    if (!peer || this.silent) return;
    this.#toPeer = Math.max(this.#toPeer, this.#world.now() + network(this.#world).latency());
    this.#world.after(this.#toPeer - this.#world.now(), () => void (this.silent || peer.closed()), NOBODY);
  }
}

/** The network survives both sides. */
const NOBODY = null;
