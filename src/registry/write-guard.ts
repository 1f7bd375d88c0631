import type { KubeObject } from '../apimachinery/meta/kube-object.js';
import type { RequestContext } from './request-context.js';
import type { RequestTarget } from './resource-store.js';

/** A write that is looked at because of who makes it. */
export interface GuardedWrite<T extends KubeObject = KubeObject> {
  readonly context: RequestContext;
  /** Name and namespace as in the URL. */
  readonly target: RequestTarget;
  /** The object as it is to be, defaults filled in, not validated yet. */
  readonly object: T;
  /** The object as it is; undefined: it is created. */
  readonly live: T | undefined;
  /** Whether an update said uid, creationTimestamp and generation as they are, and did not leave them to the server. */
  readonly repeatsIdentity: boolean;
}

/** Decides whether this user may write this object, beyond what the verb and the URL say (upstream: the policy-based stores of RBAC). */
export interface WriteGuard<T extends KubeObject = KubeObject> {
  /** Asked after admission and before validation; throws the ApiError to send. */
  check(write: GuardedWrite<T>): void | Promise<void>;
}
