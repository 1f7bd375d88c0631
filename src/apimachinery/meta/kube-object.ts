import type { ObjectMeta } from './object-meta.js';

/** Any API object in its wire shape: plain data, as decoded by a StructType. Treated as immutable once it left the decoder. */
export interface KubeObject {
  kind?: string;
  apiVersion?: string;
  metadata: ObjectMeta;
}

/** metav1.ListMeta in its wire shape. */
export interface ListMeta {
  selfLink?: string;
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
  shardInfo?: { selector: string };
}
