import { ServerResponse } from 'node:http';
import type { Encoded } from '../../apimachinery/codec/serializer/serializer.js';
import { EncodedList } from '../../apimachinery/codec/serializer/encoded-list.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RawResponse } from '../exchange/raw-exchange.js';

export type Body = Encoded | EncodedList;

/** A long body is written to an HTTP/1.1 connection in parts of this size. */
const PART_BYTES = 64 * 1024;
/** Memory of an HTTP/1.1 response, besides its body, while it waits for the responses before it. */
const QUEUED_RESPONSE_BYTES = 8 * 1024;

/**
 * Of the bytes of a list in portions, which it shares with other lists, one in so many is charged to it. That is what it holds alone, its
 * references, ten times over, for what it keeps alive of states that have been replaced since.
 */
const SHARED_BY = 16;

/**
 * Sends the body of an answer that has begun, and with that its end. All of it has been encoded: what is left to do for the portions of a
 * long list is to copy them, 64 KiB for as much that the client has read.
 */
export function sendBody(request: ApiRequest, body: Body): void {
  const { method, response } = request;
  if (method === 'HEAD') response.end();
  else if (!(body instanceof EncodedList)) sendBytes(request, body);
  else if (!body.isLong) sendBytes(request, body.bytes());
  else if (request.hold(body.length / SHARED_BY)) sendChunks(response, body.chunks());
  else response.destroy();
}

/**
 * Over HTTP/1.1 a body is charged while it is not the socket's alone: because it is long, or because answers to requests before it are
 * not sent yet. A socket tells when it has got rid of a write, and nothing before: a long body goes in parts, so that a client that takes
 * it slowly can be told from one that takes nothing. HTTP/2 does all that by itself.
 */
function sendBytes(request: ApiRequest, body: Encoded): void {
  const { response } = request;
  const isLong = body.length > PART_BYTES;
  if (!(response instanceof ServerResponse) || (response.socket && !isLong)) response.end(body);
  else if (!request.hold(body.length + QUEUED_RESPONSE_BYTES)) request.raw.socket.destroy();
  else if (isLong) sendChunks(response, parts(typeof body === 'string' ? Buffer.from(body) : body));
  else response.end(body);
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
