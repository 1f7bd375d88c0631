import type { OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';
import { Writable } from 'node:stream';
import type { RawResponse } from '../exchange/raw-exchange.js';

/** Adapts an HTTP/2 response to a Node stream with the property names of ServerResponse, for frameworks that require one. */
export class WritableResponse extends Writable {
  statusCode = 200;
  readonly #response: RawResponse;
  readonly #headers = new Map<string, OutgoingHttpHeader>();

  constructor(response: RawResponse) {
    super({ decodeStrings: true });
    this.#response = response;
    response.once('close', () => this.destroy());
    // The caller that destroys it with an error already knows the error.
    this.on('error', () => undefined);
  }

  get headersSent(): boolean {
    return this.#response.headersSent;
  }

  setHeader(name: string, value: OutgoingHttpHeader): this {
    this.#headers.set(name.toLowerCase(), value);
    return this;
  }

  getHeader(name: string): OutgoingHttpHeader | undefined {
    return this.#headers.get(name.toLowerCase());
  }

  getHeaders(): OutgoingHttpHeaders {
    return Object.fromEntries(this.#headers);
  }

  hasHeader(name: string): boolean {
    return this.#headers.has(name.toLowerCase());
  }

  removeHeader(name: string): void {
    this.#headers.delete(name.toLowerCase());
  }

  writeHead(status: number, headers: OutgoingHttpHeaders = {}): this {
    this.statusCode = status;
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) this.setHeader(name, value);
    this.#begin();
    return this;
  }

  flushHeaders(): void {
    this.#begin();
    this.#response.flushHeaders();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#begin();
    this.#response.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#begin();
    this.#response.end();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.#response.writableEnded) this.#response.destroy();
    done(error);
  }

  #begin(): void {
    if (!this.#response.headersSent) this.#response.writeHead(this.statusCode, this.getHeaders());
  }
}
