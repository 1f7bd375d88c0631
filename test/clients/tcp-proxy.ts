import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

/** Relays between a client and a server on this machine, and cuts their connections. */
export class TcpProxy {
  #target: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #open = true;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((client) => {
      if (!this.#open) return void client.resetAndDestroy();
      const upstream = connect(this.#target, '127.0.0.1');
      for (const [socket, other] of [[client, upstream] as const, [upstream, client] as const]) {
        this.#sockets.add(socket);
        socket.on('error', () => other.destroy());
        socket.on('close', () => void (this.#sockets.delete(socket), other.destroy()));
        socket.pipe(other);
      }
    });
  }

  static async to(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The number of open connections. */
  get connections(): number {
    return this.#sockets.size / 2;
  }

  /** Resets every connection; new ones work. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Resets every connection, and each new one, until `restore`. */
  block(): void {
    this.#open = false;
    this.cut();
  }

  /** Forwards nothing any more and closes nothing, as when a client loses power. */
  silence(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /** Accepts connections again, to another server if given. */
  restore(target = this.#target): void {
    this.#target = target;
    this.#open = true;
  }

  async close(): Promise<void> {
    this.block();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
