import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/**
 * A relay between two processes on this machine that can fall silent like a network: neither side is notified, and nothing is lost or
 * closed.
 */
export class TcpLink {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #target: Endpoint | undefined;
  #muted = false;
  readonly [Symbol.asyncDispose] = () => this.close();

  private constructor(target: Endpoint | undefined) {
    this.#target = target;
    this.#server = createServer((client) => this.#accept(client));
  }

  static async start(target?: Endpoint, at: Endpoint = { host: '127.0.0.1', port: 0 }): Promise<TcpLink> {
    const link = new TcpLink(target);
    await once(link.#server.listen(at.port, at.host), 'listening');
    return link;
  }

  /** A link to a port of this machine. */
  static to(port: number): Promise<TcpLink> {
    return TcpLink.start({ host: '127.0.0.1', port });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get connections(): number {
    return this.#pairs.size;
  }

  /** The target of new connections from now on; without a target they are refused. */
  leadTo(target: Endpoint | undefined): void {
    this.#target = target;
  }

  /** Nothing passes in either direction, on old connections and on new ones, until `heal`. */
  mute(): void {
    this.#muted = true;
    for (const pair of this.#pairs) pair.mute();
  }

  heal(): void {
    this.#muted = false;
    for (const pair of this.#pairs) pair.heal();
  }

  /** The current connections stay open and silent permanently; new ones work. */
  silence(): void {
    for (const pair of this.#pairs) pair.silence();
  }

  resetAll(): void {
    for (const pair of this.#pairs) pair.reset();
  }

  /** Resets the current connections, and refuses new ones until it leads somewhere again. */
  block(): void {
    this.leadTo(undefined);
    this.resetAll();
  }

  async close(): Promise<void> {
    this.resetAll();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    const pair = new Pair(client, this.#target, () => this.#pairs.delete(pair));
    this.#pairs.add(pair);
    if (!this.#muted) pair.heal();
  }
}

/** One connection and its continuation. It begins muted, and connects when it is first healed. */
class Pair {
  readonly #client: Socket;
  readonly #target: Endpoint | undefined;
  readonly #onClosed: () => void;
  #upstream: Socket | undefined;
  #muted = true;
  #silent = false;
  #broken = false;

  constructor(client: Socket, target: Endpoint | undefined, onClosed: () => void) {
    this.#client = client;
    this.#target = target;
    this.#onClosed = onClosed;
    client.pause();
    this.#watch(client);
  }

  mute(): void {
    this.#muted = true;
    this.#client.unpipe();
    this.#client.pause();
    this.#upstream?.unpipe();
    this.#upstream?.pause();
  }

  heal(): void {
    // An active connection must not be piped a second time: every byte would arrive twice.
    if (this.#silent || !this.#muted) return;
    this.#muted = false;
    if (this.#broken || this.#target === undefined) return this.reset();
    if (this.#upstream === undefined) {
      this.#upstream = connect(this.#target.port, this.#target.host);
      this.#watch(this.#upstream);
    }
    this.#client.pipe(this.#upstream);
    this.#upstream.pipe(this.#client);
  }

  silence(): void {
    this.#silent = true;
    this.mute();
  }

  reset(): void {
    this.#client.resetAndDestroy();
    this.#upstream?.resetAndDestroy();
    this.#onClosed();
  }

  /** The other end only learns of a close while data can pass. */
  #watch(socket: Socket): void {
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#broken = true;
      if (!this.#muted) this.reset();
    });
  }
}
