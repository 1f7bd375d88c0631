import { ServerResponse } from 'node:http';
import { type Encoded, EncodedList } from '../../apimachinery/codec/serializer/serializer.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RawResponse } from '../exchange/raw-exchange.js';

export type Body = Encoded | EncodedList;

/** A long body is written to an HTTP/1.1 connection in parts of this size. */
const PART_BYTES = 64 * 1024;
/** Memory of an HTTP/1.1 response, besides its body, while it waits for the responses before it. */
const QUEUED_RESPONSE_BYTES = 8 * 1024;

/**
 * The bytes of a list in portions are shared with other lists, so only this fraction is charged to one response: ten times what its
 * references take, to account for replaced states that they keep alive.
 */
const SHARED_BY = 16;

/**
 * Sends the body of a response whose headers have been set, and ends it. Everything has been encoded; the portions of a long list are only
 * copied, 64 KiB for each 64 KiB that the client has read.
 */
export function sendBody(request: ApiRequest, body: Body): void {
  const { method, response } = request;
  if (method === 'HEAD') response.end();
  else if (!(body instanceof EncodedList)) sendBytes(request, body);
  else if (!body.isLong) sendBytes(request, body.bytes());
  else if (request.progress.hold(request.account, body.length / SHARED_BY)) sendChunks(response, body.chunks());
  else response.destroy();
}

/**
 * Over HTTP/1.1, a body is charged while the socket does not have all of it: because it is long, or because responses to earlier requests
 * have not been sent yet. A socket reports only completed writes, so a long body is written in parts; this distinguishes a client that
 * reads slowly from one that reads nothing. HTTP/2 does all of this itself.
 */
function sendBytes(request: ApiRequest, body: Encoded): void {
  const { response } = request;
  const isLong = body.length > PART_BYTES;
  if (!(response instanceof ServerResponse) || (response.socket && !isLong)) response.end(body);
  else if (!request.progress.hold(request.account, body.length + QUEUED_RESPONSE_BYTES)) request.raw.socket.destroy();
  else if (isLong) sendChunks(response, parts(typeof body === 'string' ? Buffer.from(body) : body));
  else response.end(body);
}

function* parts(body: Buffer): Generator<Buffer, Buffer> {
  let at = 0;
  for (; at + PART_BYTES < body.length; at += PART_BYTES) yield body.subarray(at, at + PART_BYTES);
  return body.subarray(at);
}

/** Each chunk is assembled when the kernel has taken the previous one, so a client that reads slowly costs no more memory than others. */
function sendChunks(response: RawResponse, chunks: Iterator<Buffer, Buffer>): void {
  const sendNext = (error?: Error | null): void => {
    // The connection is closed, which is reported elsewhere.
    if (error) return;
    const { done, value } = chunks.next();
    // Ends together with the last bytes: a separate end would cost one more write, and the client one more wait.
    if (done) response.end(value);
    else response.write(value, sendNext);
  };
  sendNext();
}
