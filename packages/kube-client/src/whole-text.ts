import type { ApiResponse } from './transport.js';

/** Longest body that is read: some hundred thousand leases. */
const MAX_BYTES = 256 * 1024 * 1024;

export async function wholeText({ body }: ApiResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
