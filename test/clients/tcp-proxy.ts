import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/** Stands between a client and a server on this machine, to cut their connections. */
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

  /** Resets every connection; new ones go through. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Resets every connection, and each new one, until `restore`. */
  block(): void {
    this.#open = false;
    this.cut();
  }

  /** Passes nothing on any more, and closes nothing: as a client that has lost its power looks from afar. */
  silence(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /** Lets connections through again, to another server if one is named. */
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
