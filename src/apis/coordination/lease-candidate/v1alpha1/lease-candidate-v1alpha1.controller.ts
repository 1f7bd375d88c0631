import { createResourceController } from '../../../../endpoints/resource-controller.js';
import { leaseCandidateDefinition, leaseCandidateV1alpha1 } from '../lease-candidate.resource.js';

/** coordination.k8s.io/v1alpha1 leasecandidates. */
export class LeaseCandidateV1alpha1Controller extends createResourceController(leaseCandidateDefinition, leaseCandidateV1alpha1) {}
