import { type HttpsConnection, httpsTransport } from '../../../kube-client/src/https-transport.js';
import type { Lease } from '../../../kube-client/src/kubernetes-objects.js';
import type { ApiRequest, ApiResponse } from '../../../kube-client/src/transport.js';

/** A transport that keeps what is asked and answered, and that can break. */
export class ObservedTransport {
  /** Such as `GET leases/x`, `LIST`, `WATCH`. */
  readonly asked: string[] = [];
  /** Those of them that have an answer, except watches. */
  readonly answered: string[] = [];
  /** The created leases, as the server answered. */
  readonly created: Lease[] = [];
  events = 0;
  deletions = 0;
  #isCut = false;
  #held: string | undefined;
  #stalled: { readonly kind: string; readonly over: Promise<void> } | undefined;
  readonly #inner: (request: ApiRequest) => Promise<ApiResponse>;

  constructor(connection: HttpsConnection) {
    this.#inner = httpsTransport(connection);
  }

  /** From now on no request is answered and no event arrives. */
  cut(): void {
    this.#isCut = true;
  }

  /** From now on no request of this kind is answered, such as `WATCH`. */
  hold(kind: string): void {
    this.#held = kind;
  }

  /** Requests of this kind reach the server only when the returned function is called, even if they are aborted meanwhile. */
  stall(kind: string): () => void {
    let end = (): void => undefined;
    this.#stalled = { kind, over: new Promise((resolve) => (end = resolve)) };
    return () => end();
  }

  readonly send = async (asked: ApiRequest): Promise<ApiResponse> => {
    const isStalled = this.#stalled?.kind === nameOf(asked);
    const request = isStalled ? { ...asked, signal: new AbortController().signal } : asked;
    this.asked.push(nameOf(request));
    if (isStalled) await this.#stalled?.over;
    if (this.#isCut || nameOf(request) === this.#held) return this.#never(request.signal);
    const response = await this.#inner(request);
    if (request.path.includes('watch=true')) return { ...response, body: this.#counted(response.body, request.signal) };
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    this.answered.push(nameOf(request));
    if (request.method === 'POST' && response.status === 201) this.created.push(JSON.parse(Buffer.concat(chunks).toString()) as Lease);
    return { ...response, body: streamOf(chunks) };
  };

  async *#counted(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of body) {
      if (this.#isCut) await this.#never(signal);
      const text = Buffer.from(chunk).toString();
      this.events += text.split('\n').length - 1;
      this.deletions += text.split('"type":"DELETED"').length - 1;
      yield chunk;
    }
  }

  #never(signal: AbortSignal): Promise<never> {
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));
  }
}

function nameOf({ method, path }: ApiRequest): string {
  const [resource = '', query = ''] = path.slice(path.indexOf('/leases') + 1).split('?');
  if (query.includes('watch=true')) return 'WATCH';
  return query === '' ? `${method} ${resource}` : 'LIST';
}

// eslint-disable-next-line @typescript-eslint/require-await
async function* streamOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, void> {
  yield* chunks;
}
