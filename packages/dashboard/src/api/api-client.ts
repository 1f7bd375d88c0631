export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

export interface ApiClientOptions {
  /** The API's address, with a slash at the end. */
  readonly root: string;
  /** Absent: a client certificate or a proxy identifies the user. */
  readonly token?: string | undefined;
  /** The key of `coordination-apiserver ui`. */
  readonly pageKey?: string | undefined;
  /** Called with the Date header of each response, and the times of its request and its arrival, on the clock of `now`. */
  readonly onDate?: (date: string, sent: number, received: number) => void;
  readonly now: () => number;
  /** Called when any request is refused because the server does not know the user, or no longer. */
  readonly onUnknownUser?: (failure: ApiFailure) => void;
}

/** Requests to the Kubernetes API as one user. Rejects with ApiFailure for every response other than 2xx; status 0 means no response. */
export class ApiClient {
  readonly #options: ApiClientOptions;

  constructor(options: ApiClientOptions) {
    this.#options = options;
  }

  async json<T>(path: string, request: ApiRequest = {}): Promise<T> {
    const response = await this.open(path, request);
    return reading(async () => (await response.json()) as T, request.signal);
  }

  async text(path: string, request: ApiRequest = {}): Promise<string> {
    const response = await this.open(path, request);
    return reading(() => response.text(), request.signal);
  }

  async #failure(response: Response): Promise<ApiFailure> {
    const text = await response.text().catch(() => '');
    const failure = failureOf(response.status, text, response.headers.get('retry-after'));
    if (failure.status === 401 || needsAddress(failure)) this.#options.onUnknownUser?.(failure);
    return failure;
  }

  /** The response, with its body unread. */
  async open(path: string, { method = 'GET', accept = 'application/json', contentType, body, signal }: ApiRequest): Promise<Response> {
    const { root, token, pageKey, now, onDate } = this.#options;
    const headers = new Headers({ accept });
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    if (pageKey !== undefined) headers.set('coordination-ui-key', pageKey);
    if (body !== undefined) headers.set('content-type', contentType ?? 'application/json');
    const sent = now();
    const init: RequestInit = { method, headers, cache: 'no-store', redirect: 'error', credentials: 'same-origin' };
    if (signal) init.signal = signal;
    if (body !== undefined) init.body = JSON.stringify(body);
    const response = await reading(() => fetch(new URL(path.replace(/^\//, ''), root), init), signal);
    const date = response.headers.get('date');
    if (date !== null) onDate?.(date, sent, now());
    if (response.ok) return response;
    throw await this.#failure(response);
  }
}

async function reading<T>(read: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (signal?.aborted || error instanceof ApiFailure) throw error;
    throw new ApiFailure(0, 'The server cannot be reached.');
  }
}

/** A response other than the expected one, or none (status 0). `message` is the server's own if it sent one. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';

  constructor(
    readonly status: number,
    message: string,
    readonly reason = '',
    /** How long the server asks clients to wait, in seconds. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}

interface StatusBody {
  readonly kind?: unknown;
  readonly message?: unknown;
  readonly reason?: unknown;
}

/** `coordination-apiserver ui` admits only users who open the address that it has printed. */
export function needsAddress({ reason }: ApiFailure): boolean {
  return reason === 'AddressRequired';
}

const LONGEST = 4000;

/** The message in the body of a failure: that of a Status, or the text itself, shortened. */
export function failureOf(status: number, body: string, retryAfter?: string | null): ApiFailure {
  const seconds = Number(retryAfter ?? NaN);
  const wait = Number.isFinite(seconds) ? seconds : undefined;
  try {
    const parsed = JSON.parse(body) as StatusBody | null;
    if (parsed?.kind === 'Status' && typeof parsed.message === 'string') {
      return new ApiFailure(status, parsed.message, typeof parsed.reason === 'string' ? parsed.reason : '', wait);
    }
  } catch {
    // Plain text, for example from a proxy.
  }
  return new ApiFailure(status, body.trim().slice(0, LONGEST) || `the server answered ${status}`, '', wait);
}
