export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Includes the query. */
  readonly path: string;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface ApiResponse {
  readonly status: number;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends one request to the API server; `httpsTransport` and `fetchTransport` create transports. */
export type Transport = (request: ApiRequest) => Promise<ApiResponse>;

export function requestHeaders(request: ApiRequest, token?: string): Record<string, string> {
  return {
    accept: 'application/json',
    'user-agent': 'leader-election-js',
    ...(request.body !== undefined && { 'content-type': 'application/json' }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
}
