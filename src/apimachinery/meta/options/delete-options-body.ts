/** metav1.DeleteOptions as a DELETE request carries it; not validated yet. */
export interface DeleteOptionsBody {
  kind?: string;
  apiVersion?: string;
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
  orphanDependents?: boolean;
  propagationPolicy?: string;
  dryRun?: string[];
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
}
