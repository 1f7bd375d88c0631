import { request as httpRequest } from 'node:http';
import { type RequestOptions, Agent, request as httpsRequest } from 'node:https';
import { type ApiRequest, type ApiResponse, type Transport, requestHeaders } from './transport.js';

export interface HttpsConnection {
  /** The API server's URL. */
  readonly server: string;
  /** PEM; defaults to the public certificate authorities. */
  readonly ca?: string | Buffer;
  /** PEM, for a client certificate. */
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  /** A function is called for every request. */
  readonly token?: string | (() => string | Promise<string>);
  readonly userAgent?: string;
  /** Any other option of node:https; called for every request. */
  readonly requestOptions?: () => RequestOptions | Promise<RequestOptions>;
}

/** Requests through node:https, which, unlike fetch, accepts a custom certificate authority. Connections are kept alive. */
export function httpsTransport(connection: HttpsConnection): Transport {
  const { server, ca, cert, key, token, userAgent, requestOptions } = connection;
  const base = server.replace(/\/$/, '');
  const secure = base.startsWith('https:');
  const agent = secure ? new Agent({ keepAlive: true, ca, cert, key }) : undefined;
  return async (request) => {
    const bearer = typeof token === 'function' ? await token() : token;
    const extra = await requestOptions?.();
    // Node sends the body of a DELETE without its length.
    const length = request.body === undefined ? {} : { 'content-length': Buffer.byteLength(request.body) };
    const headers = { ...requestHeaders(request, bearer, userAgent), ...length, ...extra?.headers };
    return send(new URL(base + request.path), { agent, ...extra, headers }, request, secure);
  };
}

function send(url: URL, options: RequestOptions, request: ApiRequest, secure: boolean): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    const { method, body, signal } = request;
    const outgoing = (secure ? httpsRequest : httpRequest)(url, { ...options, method, signal }, (response) =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: response }),
    );
    outgoing.on('error', reject);
    // Node would end the request without a response or an error.
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy();
      reject(new Error('the server changes the protocol'));
    });
    outgoing.end(body);
  });
}
