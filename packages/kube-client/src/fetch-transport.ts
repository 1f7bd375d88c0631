import { type Transport, requestHeaders } from './transport.js';

export interface FetchTransportOptions {
  /** The API server's URL. */
  readonly server: string;
  readonly token?: string | (() => string | Promise<string>);
  /** The global fetch by default, which knows only the public certificate authorities and those of NODE_EXTRA_CA_CERTS. */
  readonly fetch?: typeof fetch;
}

export function fetchTransport({ server, token, fetch: send = fetch }: FetchTransportOptions): Transport {
  const base = server.replace(/\/$/, '');
  return async (request) => {
    const bearer = typeof token === 'function' ? await token() : token;
    const { method, path, body, signal } = request;
    const response = await send(base + path, { method, body, signal, headers: requestHeaders(request, bearer) });
    return { status: response.status, body: response.body ?? (async function* () {})() };
  };
}
