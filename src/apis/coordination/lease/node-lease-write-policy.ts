import { forbidden } from '../../../apimachinery/errors/status-errors.js';
import { nodeOf } from '../../../auth/authorization/node-authorizer.js';
import type { PolicedWrite, WritePolicy } from '../../../registry/resource/write-policy.js';
import type { Lease } from './lease.schema.js';
import { leaseDefinition } from './lease.resource.js';

/**
 * A node may create only a lease of its own name. Authorization cannot check that, since a POST has no name in its URL (kubernetes
 * plugin/pkg/admission/noderestriction); it checks all other writes.
 */
export class NodeLeaseWritePolicy implements WritePolicy<Lease> {
  check({ context, object, live }: PolicedWrite<Lease>): void {
    if (live) return;
    const node = nodeOf(context.user);
    const name = object.metadata.name ?? '';
    if (node === undefined || node === name) return;
    throw forbidden(leaseDefinition, name, 'can only access node lease with the same name as the requesting node');
  }
}
