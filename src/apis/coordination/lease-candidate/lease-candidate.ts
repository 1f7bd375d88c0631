import type { KubeObject } from '../../../apimachinery/meta/kube-object.js';

/** What a candidate says of itself. Times are MicroTimes; '' is the same as absent. */
export interface LeaseCandidateSpec {
  leaseName?: string;
  pingTime?: string;
  renewTime?: string;
  binaryVersion?: string;
  emulationVersion?: string;
  strategy?: string;
}

/** The hub type of candidates for a lease; it has the shape of v1beta1. */
export interface LeaseCandidate extends KubeObject {
  spec?: LeaseCandidateSpec;
}
