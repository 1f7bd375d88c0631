import type { Lease, LeaseCandidateObject } from './kubernetes-objects.js';

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
