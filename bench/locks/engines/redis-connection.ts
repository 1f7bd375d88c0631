import { once } from 'node:events';
import { type Socket, connect } from 'node:net';

type Reply = string | number | null;

/** A connection to Redis for one command at a time whose answer is a line: a status, a number or null. */
export class RedisConnection {
  readonly #socket: Socket;
  #settle: { resolve(reply: Reply): void; reject(error: Error): void } | undefined;
  #received = '';

  private constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (chunk: Buffer) => this.#take(chunk.toString('latin1')));
    this.#socket.on('close', () => this.#settle?.reject(new Error('Redis has closed the connection')));
  }

  static async open(port: number): Promise<RedisConnection> {
    const connection = new RedisConnection(port);
    await once(connection.#socket, 'connect');
    connection.#socket.on('error', (error) => connection.#settle?.reject(error));
    return connection;
  }

  command(...words: string[]): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(`*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`);
    });
  }

  async close(): Promise<void> {
    this.#settle = undefined;
    this.#socket.end();
    await once(this.#socket, 'close');
  }

  #take(text: string): void {
    this.#received += text;
    if (!this.#received.endsWith('\r\n')) return;
    const line = this.#received.slice(0, -2);
    this.#received = '';
    if (line.startsWith('+')) this.#settle?.resolve(line.slice(1));
    else if (line.startsWith(':')) this.#settle?.resolve(Number(line.slice(1)));
    else if (line === '$-1') this.#settle?.resolve(null);
    else this.#settle?.reject(new Error(`Redis: ${line}`));
  }
}
