import { createResourceController } from '../../../../endpoints/resource-controller.js';
import { leaseCandidateDefinition, leaseCandidateV1beta1 } from '../lease-candidate.resource.js';

/** coordination.k8s.io/v1beta1 leasecandidates. */
export class LeaseCandidateV1beta1Controller extends createResourceController(leaseCandidateDefinition, leaseCandidateV1beta1) {}
