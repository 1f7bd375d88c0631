import { readBody } from '../../src/endpoints/request/body-reader.js';
import type { RawRequest, RawResponse } from '../../src/endpoints/request/raw-exchange.js';

const LARGE_BYTES = 100_000;
const MAX_BODY_BYTES = 1024 * 1024;
const TOO_LARGE = 413;

/**
 * The handler behind the servers that are compared; go/main.go does the same. `/large` is answered with 100,000 bytes, `/early` before
 * the body has come, `/hold` never, anything else with method, target and the length of the body.
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
