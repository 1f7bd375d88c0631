import type { RequestOptions } from 'node:https';
import type { HttpsConnection } from '../../kube-client/src/https-transport.js';
import { type LeaseCandidateClient, type LeaseClient, KubernetesError } from '../../kube-client/src/coordination-client.js';
import type { Lease, LeaseCandidateObject } from '../../kube-client/src/kubernetes-objects.js';

/** The part of a KubeConfig of @kubernetes/client-node that is used here. */
export interface KubeConfigLike {
  getCurrentCluster(): { server: string } | null;
  applyToHTTPSOptions(options: RequestOptions): Promise<void>;
}

/** The current context of a kubeconfig, for `httpsTransport`. client-node authenticates, plugins included, again every minute. */
export function kubeConfigConnection(config: KubeConfigLike): HttpsConnection {
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new Error('the kubeconfig has no current cluster');
  let applied: { options: RequestOptions; at: number } | undefined;
  return {
    server: cluster.server,
    async requestOptions() {
      if (!applied || performance.now() - applied.at >= 60_000) {
        const options: RequestOptions = {};
        await config.applyToHTTPSOptions(options);
        applied = { options, at: performance.now() };
      }
      return applied.options;
    },
  };
}

interface Named {
  namespace: string;
  name: string;
}

/* eslint-disable @typescript-eslint/no-explicit-any -- client-node's classes differ between its versions only in types */

/** The part of client-node's CoordinationV1Api that is used here. */
export interface CoordinationV1ApiLike {
  readNamespacedLease(of: Named): Promise<unknown>;
  createNamespacedLease(of: { namespace: string; body: any }): Promise<unknown>;
  replaceNamespacedLease(of: Named & { body: any }): Promise<unknown>;
}

/** The part of client-node's CoordinationV1beta1Api that is used here. */
export interface CoordinationV1beta1ApiLike {
  readNamespacedLeaseCandidate(of: Named): Promise<unknown>;
  createNamespacedLeaseCandidate(of: { namespace: string; body: any }): Promise<unknown>;
  replaceNamespacedLeaseCandidate(of: Named & { body: any }): Promise<unknown>;
}

/** Leases through client-node's own API object. A request that takes too long is abandoned, not aborted as with `kubeConfigConnection`. */
export function leasesOfApi(api: CoordinationV1ApiLike): LeaseClient {
  return {
    get: (namespace, name) => absentAsUndefined(answer<Lease>(api.readNamespacedLease({ namespace, name }))),
    create: (body) => answer<Lease>(api.createNamespacedLease({ namespace: body.metadata.namespace ?? '', body })),
    update: (body) => answer<Lease>(api.replaceNamespacedLease({ ...nameOf(body), body })),
  };
}

/** LeaseCandidates through client-node's own API object, which cannot watch: the object is read for pings every two seconds. */
export function leaseCandidatesOfApi(api: CoordinationV1beta1ApiLike): LeaseCandidateClient {
  type Candidate = LeaseCandidateObject;
  return {
    get: (namespace, name) => absentAsUndefined(answer<Candidate>(api.readNamespacedLeaseCandidate({ namespace, name }))),
    create: (body) => answer<Candidate>(api.createNamespacedLeaseCandidate({ namespace: body.metadata.namespace ?? '', body })),
    update: (body) => answer<Candidate>(api.replaceNamespacedLeaseCandidate({ ...nameOf(body), body })),
  };
}

function nameOf({ metadata: { namespace = '', name = '' } }: Lease | LeaseCandidateObject): Named {
  return { namespace, name };
}

/** client-node's errors are ApiExceptions with a `code`. Its MicroTimes are strings, in spite of their type, and Dates elsewhere. */
async function answer<T extends { spec?: object }>(request: Promise<unknown>): Promise<T> {
  try {
    const object = (await request) as T;
    return { ...object, spec: Object.fromEntries(Object.entries(object.spec ?? {}).map(([field, value]) => [field, wireValue(value)])) };
  } catch (error) {
    const { code, body } = error as { code?: unknown; body?: unknown };
    if (typeof code !== 'number') throw error;
    throw new KubernetesError(code, messageOf(body) ?? (error as Error).message);
  }
}

/* eslint-enable @typescript-eslint/no-explicit-any */

function wireValue(value: unknown): unknown {
  return value instanceof Date ? value.toISOString().replace(/\.(\d{3})Z$/, '.$1000Z') : value;
}

function messageOf(body: unknown): string | undefined {
  try {
    const { message } = (typeof body === 'string' ? JSON.parse(body) : body) as { message?: unknown };
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}

async function absentAsUndefined<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof KubernetesError && error.status === 404) return undefined;
    throw error;
  }
}
