import { ServerResponse } from 'node:http';
import type { Encoded } from '../../apimachinery/codec/serializer.js';
import { EncodedList } from '../../apimachinery/codec/encoded-list.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RawResponse } from '../request/raw-exchange.js';

export type Body = Encoded | EncodedList;

/** What is given to a connection of HTTP/1.1 at a time. */
const PART_BYTES = 64 * 1024;

/**
 * Sends the body of an answer that has begun, and with that its end. All of it has been encoded: what is left to do for the portions of a
 * long list is to copy them, 64 KiB for as much that the client has read.
 */
export function sendBody({ method, response }: ApiRequest, body: Body): void {
  if (method === 'HEAD') response.end();
  else if (body instanceof EncodedList && body.isLong) sendChunks(response, body.chunks());
  else sendBytes(response, body instanceof EncodedList ? body.bytes() : body);
}

/**
 * A socket tells when it has got rid of a write, and nothing before: a long body goes in parts, so that a client that takes it slowly can
 * be told from one that takes nothing. HTTP/2 has its frames for that.
 */
function sendBytes(response: RawResponse, body: Encoded): void {
  if (body.length <= PART_BYTES || !(response instanceof ServerResponse)) response.end(body);
  else sendChunks(response, parts(typeof body === 'string' ? Buffer.from(body) : body));
}

function* parts(body: Buffer): Generator<Buffer, Buffer> {
  let at = 0;
  for (; at + PART_BYTES < body.length; at += PART_BYTES) yield body.subarray(at, at + PART_BYTES);
  return body.subarray(at);
}

/** Each is put together when the kernel has taken the one before: a client that reads slowly costs no more memory than another. */
function sendChunks(response: RawResponse, chunks: Iterator<Buffer, Buffer>): void {
  const sendNext = (error?: Error | null): void => {
    // The connection is gone, and its end is told elsewhere.
    if (error) return;
    const { done, value } = chunks.next();
    // With the last bytes: an end of its own would cost one more write, and its client one more wait.
    if (done) response.end(value);
    else response.write(value, sendNext);
  };
  sendNext();
}
