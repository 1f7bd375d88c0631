import type { KubernetesObject, Lease, LeaseCandidateObject } from './kubernetes-objects.js';
import type { ApiRequest, ApiResponse, Transport } from './transport.js';

interface StatusBody {
  message?: string;
  reason?: string;
  code?: number;
}

interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: LeaseCandidateObject & StatusBody;
}

/** Leases and LeaseCandidates of any Kubernetes API server. */
export class CoordinationClient {
  readonly leases: LeaseClient;
  readonly leaseCandidates: LeaseCandidateClient;

  constructor(transport: Transport) {
    const candidates = objectClient<LeaseCandidateObject>(transport, 'v1beta1', 'leasecandidates');
    this.leases = objectClient<Lease>(transport, 'v1', 'leases');
    this.leaseCandidates = { ...candidates, watch: (...of) => watchCandidate(transport, ...of) };
  }
}

function objectClient<T extends KubernetesObject<unknown>>(transport: Transport, version: string, resource: string): ObjectClient<T> {
  const collection = (namespace = '') => collectionPath(version, resource, namespace);
  const send = async (request: ApiRequest) => {
    const response = await transport(request);
    return { status: response.status, text: await wholeText(response) };
  };
  const write = async (request: ApiRequest) => {
    const { status, text } = await send(request);
    if (status >= 300) throw refusal(status, text);
    return JSON.parse(text) as T;
  };
  return {
    async get(namespace, name, signal) {
      const { status, text } = await send({ method: 'GET', path: `${collection(namespace)}/${encodeURIComponent(name)}`, signal });
      // A 404 also means that the namespace or the whole resource does not exist: a create then reports it.
      if (status === 404) return undefined;
      if (status >= 300) throw refusal(status, text);
      return JSON.parse(text) as T;
    },
    create: (object, signal) =>
      write({ method: 'POST', path: collection(object.metadata.namespace), body: JSON.stringify(object), signal }),
    update: (object, signal) => {
      const { namespace, name = '' } = object.metadata;
      const path = `${collection(namespace)}/${encodeURIComponent(name)}`;
      return write({ method: 'PUT', path, body: JSON.stringify(object), signal });
    },
  };
}

async function* watchCandidate(
  transport: Transport,
  namespace: string,
  name: string,
  resourceVersion: string,
  signal: AbortSignal,
): AsyncGenerator<LeaseCandidateObject, void, void> {
  const query = new URLSearchParams({ watch: 'true', fieldSelector: `metadata.name=${name}`, resourceVersion });
  const path = `${collectionPath('v1beta1', 'leasecandidates', namespace)}?${query.toString()}`;
  const response = await transport({ method: 'GET', path, signal });
  if (response.status >= 300) throw refusal(response.status, await wholeText(response));
  for await (const line of textLines(response.body)) {
    const { type, object } = JSON.parse(line) as WatchEvent;
    if (type === 'ERROR') {
      if (object.code === 410) return; // the version is too old: the caller reads the current one
      throw new KubernetesError(object.code ?? 500, object.message ?? 'the watch failed', object.reason);
    }
    if (type === 'DELETED') return;
    if (type !== 'BOOKMARK') yield object;
  }
}

function collectionPath(version: string, resource: string, namespace: string): string {
  return `/apis/coordination.k8s.io/${version}/namespaces/${encodeURIComponent(namespace)}/${resource}`;
}

function refusal(status: number, text: string): KubernetesError {
  const body = statusBody(text);
  return new KubernetesError(status, body.message ?? `the API server answered ${status}: ${text.slice(0, 200)}`, body.reason);
}

function statusBody(text: string): StatusBody {
  try {
    return (JSON.parse(text) as StatusBody | null) ?? {};
  } catch {
    return {}; // proxies answer in plain text
  }
}

/**
 * The requests of one resource. Each rejects with a KubernetesError for an error response, with any other error if the request never
 * reached a server, and should end soon after the signal aborts.
 */
export interface ObjectClient<T> {
  /** Undefined for an object that does not exist. */
  get(namespace: string, name: string, signal: AbortSignal): Promise<T | undefined>;
  create(object: T, signal: AbortSignal): Promise<T>;
  /** Replaces the version that `metadata.resourceVersion` names; a KubernetesError with status 409 if that version is not current. */
  update(object: T, signal: AbortSignal): Promise<T>;
}

export type LeaseClient = ObjectClient<Lease>;

export interface LeaseCandidateClient extends ObjectClient<LeaseCandidateObject> {
  /** Streams the states of one object after a version until the server ends it. Without it the object is read every two seconds. */
  watch?(namespace: string, name: string, resourceVersion: string, signal: AbortSignal): AsyncIterable<LeaseCandidateObject>;
}

/** A request that an API server refused. */
export class KubernetesError extends Error {
  override readonly name = 'KubernetesError';

  constructor(
    /** The HTTP status. */
    readonly status: number,
    message: string,
    /** The Status object's reason, such as `Conflict`. */
    readonly reason?: string,
  ) {
    super(message);
  }

  static isConflict(error: unknown): boolean {
    return error instanceof KubernetesError && error.status === 409;
  }
}

/** Longest body that is read: some hundred thousand leases. */
const MAX_BYTES = 256 * 1024 * 1024;

export async function wholeText({ body }: ApiResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** In characters; no object is that large. */
const MAX_LINE = 4 * 1024 * 1024;

/** The lines of a stream of UTF-8, without empty ones. Throws for one that does not end. */
export async function* textLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE) throw new Error(`a line is longer than ${MAX_LINE} characters`);
    yield* lines.filter((line) => line !== '');
  }
  if (rest !== '') yield rest;
}
