import { createResourceController } from '../../../../endpoints/resource-controller.js';
import { leaseDefinition, leaseV1 } from '../lease.resource.js';

/** coordination.k8s.io/v1 leases. */
export class LeaseV1Controller extends createResourceController(leaseDefinition, leaseV1) {}
