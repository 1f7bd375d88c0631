import { once } from 'node:events';
import net from 'node:net';

/** A plain TCP relay to a local port that can drop everything, like a broken network. */
export class TcpProxy {
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  #cut = false;

  private constructor(target: number) {
    this.#server = net.createServer((client) => {
      const upstream = net.connect(target, '127.0.0.1');
      this.#relay(client, upstream);
      this.#relay(upstream, client);
    });
  }

  static async start(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as net.AddressInfo).port;
  }

  /** From now on nothing passes in either direction, and no end is notified. */
  cut(): void {
    this.#cut = true;
  }

  /** New connections pass again; earlier ones are broken. */
  heal(): void {
    this.#cut = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.heal();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #relay(from: net.Socket, to: net.Socket): void {
    this.#sockets.add(from);
    from.on('data', (chunk) => {
      if (!this.#cut) to.write(chunk);
    });
    from.on('error', () => from.destroy());
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}
