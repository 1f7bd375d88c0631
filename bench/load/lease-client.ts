import http2, { type ClientHttp2Session } from 'node:http2';
import type { Target } from './generator.js';
import { leaseJson } from './lease-json.js';
import type { LeaseWire } from './lease-wire.js';

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/** A few HTTP/2 connections to one server, shared by any number of clients, as controllers in one process share theirs. */
export class LeaseClient {
  readonly wire: LeaseWire;
  readonly #sessions: ClientHttp2Session[];
  readonly #authorization: string;
  readonly #path: string;
  #next = 0;

  constructor({ url, token, namespace }: Target, connections: number, wire: LeaseWire = leaseJson) {
    this.wire = wire;
    this.#sessions = Array.from({ length: connections }, () => http2.connect(url, { rejectUnauthorized: false }));
    this.#authorization = `Bearer ${token}`;
    this.#path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  }

  /** `path` is relative to the namespace's leases. */
  send(method: string, path: string, body?: string | Uint8Array): Promise<Answer> {
    return this.#send(method, this.#path + path, this.wire.mediaType, body);
  }

  /** Sends JSON to any path of the server; rejects unless the object is created or exists already. */
  async create(path: string, object: object): Promise<void> {
    const { status, body } = await this.#send('POST', path, 'application/json', JSON.stringify(object));
    if (status !== 201 && status !== 409) throw new Error(`${path}: ${status} ${body.toString().slice(0, 300)}`);
  }

  /** A stream of lines; calls back with each until it is closed. `opened` resolves with the response headers. */
  follow(path: string, line: (text: string) => void): { opened: Promise<void>; close(): void } {
    const stream = this.#open('GET', this.#path + path, 'application/json');
    let rest = '';
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(line);
    });
    const opened = new Promise<void>((resolve, reject) => {
      stream.once('response', (headers) => {
        if (headers[':status'] === 200) resolve();
        else reject(new Error(`watch: ${headers[':status']}`));
      });
      stream.once('error', reject);
    });
    stream.end();
    return { opened, close: () => stream.close() };
  }

  #send(method: string, path: string, mediaType: string, body?: string | Uint8Array): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const stream = this.#open(method, path, mediaType);
      let status = 0;
      const chunks: Buffer[] = [];
      stream.on('response', (headers) => (status = Number(headers[':status'])));
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => resolve({ status, body: Buffer.concat(chunks) }));
      stream.on('error', reject);
      stream.end(body);
    });
  }

  #open(method: string, path: string, mediaType: string) {
    const session = this.#sessions[this.#next++ % this.#sessions.length];
    if (session === undefined) throw new Error('a client needs at least one connection');
    return session.request({
      ':method': method,
      ':path': path,
      authorization: this.#authorization,
      'content-type': mediaType,
      accept: mediaType,
    });
  }

  close(): void {
    for (const session of this.#sessions) session.destroy();
  }
}
