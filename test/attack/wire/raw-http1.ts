import type { TLSSocket } from 'node:tls';
import type { TrafficMeter } from './traffic-meter.js';

/** An HTTP/1.1 client that writes arbitrary bytes, and reads responses or leaves them unread. */
export class RawHttp1 {
  isOver = false;
  /** Number of status lines received. */
  answers = 0;

  constructor(
    readonly socket: TLSSocket,
    readonly meter: TrafficMeter,
    { reads = true }: { readonly reads?: boolean } = {},
  ) {
    socket.on('error', () => socket.destroy());
    socket.on('close', () => (this.isOver = true));
    if (!reads) return;
    socket.on('end', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      meter.received(chunk.length);
      this.answers += chunk.toString('latin1').split('HTTP/1.1 ').length - 1;
    });
  }

  write(content: string | Buffer): void {
    if (this.isOver || !this.socket.writable) return;
    this.meter.sent(content.length);
    this.socket.write(typeof content === 'string' ? Buffer.from(content, 'latin1') : content);
  }

  /** A request without a body. */
  request(method: string, path: string, headers: readonly (readonly [string, string])[] = []): void {
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    this.write(`${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines}\r\n`);
  }

  close(): void {
    this.socket.destroy();
  }
}
