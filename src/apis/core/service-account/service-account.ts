import type { KubeObject } from '../../../apimachinery/meta/kube-object.js';

/** core/v1 ObjectReference, as far as it is looked at. */
export interface SecretReference {
  name?: string;
}

/** The hub type of service accounts; it has the shape of v1. */
export interface ServiceAccount extends KubeObject {
  secrets?: SecretReference[];
  imagePullSecrets?: SecretReference[];
  automountServiceAccountToken?: boolean;
}
