import { readBody } from '../../src/endpoints/exchange/read-body.js';
import type { RawRequest, RawResponse } from '../../src/endpoints/exchange/raw-exchange.js';

const LARGE_BYTES = 100_000;
const MAX_BODY_BYTES = 1024 * 1024;
const TOO_LARGE = 413;

/**
 * The handler of the compared servers; go/main.go has the same. `/large` is answered with 100,000 bytes, `/early` before the body has
 * arrived, `/hold` never, and any other path with the method, target and body length.
 */
export function respond(raw: RawRequest, response: RawResponse): void {
  const { method = '', url = '' } = raw;
  const answer = (status: number, body: string) => {
    if (!response.destroyed) response.writeHead(status, { 'content-type': 'text/plain' }).end(body);
  };
  if (url === '/hold') return;
  if (url === '/large') return answer(200, 'x'.repeat(LARGE_BYTES));
  if (url === '/early') return answer(200, `${method} ${url}`);
  readBody(raw, MAX_BODY_BYTES).then(
    (body) => answer(200, `${method} ${url} ${body.length}`),
    () => answer(TOO_LARGE, 'the body is too large'),
  );
}
