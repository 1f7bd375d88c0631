import type { KubeObject } from '../../../apimachinery/meta/kube-object.js';

export interface BoundObjectReference {
  kind?: string;
  apiVersion?: string;
  name?: string;
  uid?: string;
}

/** authentication.k8s.io/v1 TokenRequest. */
export interface TokenRequest extends KubeObject {
  spec?: { audiences?: readonly string[]; expirationSeconds?: number; boundObjectRef?: BoundObjectReference };
  status?: { token: string; expirationTimestamp: string };
}
