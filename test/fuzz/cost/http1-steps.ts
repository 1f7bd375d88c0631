import { setTimeout as sleep } from 'node:timers/promises';
import type { RawHttp1 } from '../../attack/wire/raw-http1.js';
import type { Step } from './cost-sequence.js';
import { type HostileRequest, getOf, headerOf, postOf } from './hostile-requests.js';

const SEND_MS = 50;
const SENT_AT_ONCE = 256 * 1024;
const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];

/** State of the steps on one connection. */
export class Http1Steps {
  requests = 0;
  writes = 0;
  readonly #connection: RawHttp1;

  constructor(connection: RawHttp1) {
    this.#connection = connection;
  }

  async send(step: Step): Promise<void> {
    for (let index = 0; index < step.times && !this.#connection.isOver; index++) {
      // Does not write to a server that has stopped reading.
      if (this.#connection.socket.writableLength > SENT_AT_ONCE) return;
      this.#connection.write(this.#textOf(step));
      this.writes++;
      if (index % 100 === 99) await sleep(SEND_MS);
    }
  }

  #textOf({ kind, size, target }: Step): string {
    if (kind === 'chunks') return `${Math.max(1, size).toString(16)}\r\n${' '.repeat(Math.max(1, size))}\r\n`;
    this.requests++;
    if (kind === 'post') {
      return headOf('POST', postOf(target), [size === 0 ? 'Transfer-Encoding: chunked' : `Content-Length: ${size}`]);
    }
    if (kind === 'upgrade') return headOf('GET', getOf(6), UPGRADE);
    const [name, value] = headerOf(target, Math.max(1, size));
    return headOf('GET', getOf(target), kind === 'repeat' ? Array.from({ length: Math.min(size, 200) }, () => `${name}: ${value}`) : []);
  }
}

function headOf(method: string, { path, token }: HostileRequest, lines: readonly string[]): string {
  const credentials = token === undefined ? [] : [`Authorization: Bearer ${token}`];
  return [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...credentials, ...lines, '', ''].join('\r\n');
}
