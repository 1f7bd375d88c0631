import type { KubeObject } from '../../../apimachinery/meta/kube-object.js';

/** metav1-like condition of a namespace: one thing that holds up its deletion. */
export interface NamespaceCondition {
  type: string;
  status: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface NamespaceSpec {
  finalizers?: string[];
}

export interface NamespaceStatus {
  phase?: string;
  conditions?: NamespaceCondition[];
}

/** The hub type of namespaces; it has the shape of v1. */
export interface Namespace extends KubeObject {
  spec?: NamespaceSpec;
  status?: NamespaceStatus;
}

/** The finalizer in spec.finalizers that the namespace controller takes away once the content is gone. */
export const KUBERNETES_FINALIZER = 'kubernetes';

/** A label with the namespace's name, for selectors. The server sets it. */
export const NAME_LABEL = 'kubernetes.io/metadata.name';

export const ACTIVE = 'Active';
export const TERMINATING = 'Terminating';
