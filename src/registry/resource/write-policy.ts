import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { RequestContext } from './request-context.js';
import type { RequestTarget } from './resource-store.js';

/** A write for a WritePolicy to judge. */
export interface PolicedWrite<T extends KubeObject = KubeObject> {
  readonly context: RequestContext;
  /** Name and namespace as in the URL. */
  readonly target: RequestTarget;
  /** The new object, with defaults, not yet validated. */
  readonly object: T;
  /** The current object; undefined for a create. */
  readonly live: T | undefined;
  /** Whether an update sent the current uid, creationTimestamp and generation instead of leaving them to the server. */
  readonly repeatsIdentity: boolean;
}

/**
 * Decides whether a user may write this particular object, beyond what verb and URL tell the authorizer (upstream: the policy-based stores
 * of RBAC).
 */
export interface WritePolicy<T extends KubeObject = KubeObject> {
  /** Called after admission and before validation. Throws or rejects with the ApiError to send; a promise only if it has to wait. */
  check(write: PolicedWrite<T>): void | Promise<void>;
}
