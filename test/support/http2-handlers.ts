import type { OnHttp2Request } from '../../src/endpoints/http2/http2-connection.js';

/** Answers every request with a short text. */
export const answer: OnHttp2Request = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/plain' });
  response.end('hello');
};

/** Answers with the body of the request. */
export const echo: OnHttp2Request = (request, response) => request.collect(100_000, (body) => response.writeHead(200).end(String(body)));
