import type { TypeOf } from '../../../apimachinery/schema/type-of.js';
import type { leaseCandidateV1beta1Schema } from './v1beta1/lease-candidate-v1beta1.schema.js';

/** The hub type of candidates for a lease; it has the shape of v1beta1. Times are MicroTimes. */
export type LeaseCandidate = TypeOf<typeof leaseCandidateV1beta1Schema>;

/** The spec of a candidate. */
export type LeaseCandidateSpec = LeaseCandidate['spec'];
