import type { ApiOperation, ApiParameter } from '../../../../endpoints/openapi/api-operation.js';
import { groupVersionPath } from '../../../../endpoints/routing/resource-routes.js';
import { leaseDefinition, leaseV1 } from '../lease.resource.js';

const TEXT = ['text/plain'];
const HOLDER = {
  name: 'holder',
  in: 'query',
  type: 'string',
  description: 'Who holds the lock; must differ from every other contender.',
  example: 'host-1',
} as const;
const PLACE: readonly ApiParameter[] = [
  { name: 'namespace', in: 'path', type: 'string', description: 'Namespace of the lease.', shared: true, example: 'default' },
  { name: 'name', in: 'path', type: 'string', description: 'Name of the lease.', shared: true, example: 'example' },
];

type Own = Pick<ApiOperation, 'id' | 'method' | 'description' | 'parameters'> & Partial<ApiOperation>;

/** An operation on what is beside a lease; bodies are text unless it says otherwise. */
export function leaseOperation(subresource: 'lock' | 'state', { parameters, ...own }: Own): ApiOperation {
  const root = groupVersionPath(leaseDefinition.group, leaseV1.name);
  const path = `${root}/namespaces/{namespace}/${leaseDefinition.resource}/{name}/${subresource}`;
  return { consumes: TEXT, produces: TEXT, ...own, path, tag: 'lock', parameters: [...PLACE, ...parameters], codes: [200] };
}

/** Locks over HTTP, which only the document for human readers contains: they are no resource of Kubernetes. */
export const LOCK_OPERATIONS: readonly ApiOperation[] = [
  leaseOperation('lock', {
    id: 'lockLease',
    method: 'put',
    description: 'Take a lease, or renew it. The answer is the fencing token; 423 if somebody else holds the lease.',
    parameters: [
      HOLDER,
      {
        name: 'duration',
        in: 'query',
        type: 'string',
        description: 'How long the lease lasts without a renewal, such as 60s, the default.',
      },
      {
        name: 'wait',
        in: 'query',
        type: 'string',
        description: 'How long to wait for it, such as 10s; at most 30s, by default not at all.',
      },
      {
        name: 'priority',
        in: 'query',
        type: 'string',
        description:
          'A whole number. A holder with a smaller one is asked to hand over: its next answer has the header Lease-Preferred-Holder.',
      },
    ],
  }),
  leaseOperation('lock', {
    id: 'unlockLease',
    method: 'delete',
    description: 'Free a lease. 423 if somebody else holds it.',
    parameters: [HOLDER, { name: 'force', in: 'query', type: 'string', description: 'With "true", the lease is freed whoever holds it.' }],
  }),
];
