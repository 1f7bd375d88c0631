import type { Encoded } from '../../apimachinery/codec/serializer.js';
import { EncodedList } from '../../apimachinery/codec/encoded-list.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RawResponse } from '../request/raw-exchange.js';

export type Body = Encoded | EncodedList;

/**
 * Sends the body of an answer that has begun, and with that its end. All of it has been encoded: what is left to do for the portions of a
 * long list is to copy them, 64 KiB for as much that the client has read.
 */
export function sendBody({ method, response }: ApiRequest, body: Body): void {
  if (!(body instanceof EncodedList)) response.end(body);
  else if (body.isLong && method !== 'HEAD') sendChunks(response, body.chunks());
  else response.end(body.bytes());
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
