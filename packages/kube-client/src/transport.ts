export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Includes the query. */
  readonly path: string;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface ApiResponse {
  readonly status: number;
  /** With names in lower case. */
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends one request to the API server; `httpsTransport` and `fetchTransport` create transports. */
export type Transport = (request: ApiRequest) => Promise<ApiResponse>;

export function requestHeaders(request: ApiRequest, token?: string, userAgent = 'leader-election-js'): Record<string, string> {
  return {
    accept: 'application/json',
    'user-agent': userAgent,
    ...(request.body !== undefined && { 'content-type': 'application/json' }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
}

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
