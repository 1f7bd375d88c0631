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
