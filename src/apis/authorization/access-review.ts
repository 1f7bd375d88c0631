import type { KubeObject } from '../../apimachinery/meta/kube-object.js';
import type { SelectorRequirement } from '../../apimachinery/meta/label-selector.js';

/** A selector as text or as conditions. */
export interface SelectorAttributes {
  rawSelector?: string;
  requirements?: SelectorRequirement[];
}

/** A request for resources. */
export interface ResourceAttributes {
  namespace?: string;
  verb?: string;
  group?: string;
  version?: string;
  resource?: string;
  subresource?: string;
  name?: string;
  fieldSelector?: SelectorAttributes;
  labelSelector?: SelectorAttributes;
}

/** A request for a path that is no resource. */
export interface NonResourceAttributes {
  path?: string;
  verb?: string;
}

/** Who wants to do what; the question of self reviews has no user. */
export interface AccessReviewSpec {
  resourceAttributes?: ResourceAttributes;
  nonResourceAttributes?: NonResourceAttributes;
  user?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
  uid?: string;
}

export interface AccessReviewStatus {
  allowed: boolean;
  denied?: boolean;
  reason?: string;
  evaluationError?: string;
}

/** SubjectAccessReview, LocalSubjectAccessReview and SelfSubjectAccessReview. */
export interface AccessReview extends KubeObject {
  spec?: AccessReviewSpec;
  status?: AccessReviewStatus;
}

export const AUTHORIZATION_GROUP = 'authorization.k8s.io';
