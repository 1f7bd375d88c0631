import { KubernetesError } from './kubernetes-error.js';
import type { KubernetesObject, Lease, LeaseCandidateObject } from './kubernetes-objects.js';
import type { LeaseCandidateClient, LeaseClient, ObjectClient } from './object-client.js';
import { textLines } from './text-lines.js';
import type { ApiRequest, Transport } from './transport.js';
import { wholeText } from './whole-text.js';

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
