import { createResourceController } from '../../../../endpoints/resource-controller.js';
import { leaseCandidateDefinition, leaseCandidateV1alpha2 } from '../lease-candidate.resource.js';

/** coordination.k8s.io/v1alpha2 leasecandidates. */
export class LeaseCandidateV1alpha2Controller extends createResourceController(leaseCandidateDefinition, leaseCandidateV1alpha2) {}
