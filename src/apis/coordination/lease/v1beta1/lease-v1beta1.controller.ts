import { createResourceController } from '../../../../endpoints/resource-controller.js';
import { leaseDefinition, leaseV1beta1 } from '../lease.resource.js';

/** coordination.k8s.io/v1beta1 leases. */
export class LeaseV1beta1Controller extends createResourceController(leaseDefinition, leaseV1beta1) {}
