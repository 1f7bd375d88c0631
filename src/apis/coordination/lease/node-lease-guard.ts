import { forbidden } from '../../../apimachinery/errors/status-errors.js';
import { nodeOf } from '../../../auth/authorization/node-authorizer.js';
import type { GuardedWrite, WriteGuard } from '../../../registry/write-guard.js';
import type { Lease } from './lease.js';
import { leaseDefinition } from './lease.resource.js';

/**
 * A node may create a lease of its own name only. Authorization cannot see to that, since a POST has no name in its URL (kubernetes
 * plugin/pkg/admission/noderestriction); all other writes it has seen to.
 */
export class NodeLeaseGuard implements WriteGuard<Lease> {
  check({ context, object, live }: GuardedWrite<Lease>): void {
    if (live) return;
    const node = nodeOf(context.user);
    const name = object.metadata.name ?? '';
    if (node === undefined || node === name) return;
    throw forbidden(leaseDefinition, name, 'can only access node lease with the same name as the requesting node');
  }
}
