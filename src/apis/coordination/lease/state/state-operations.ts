import type { ApiOperation, ApiParameter } from '../../../../endpoints/openapi/api-operation.js';
import { leaseOperation } from '../lock/lock-operations.js';

const LOCK_ID: ApiParameter = {
  name: 'ID',
  in: 'query',
  type: 'string',
  description: 'The ID of the lock that the client has; without it, nobody may have the lock.',
};

const JSON_TYPE = ['application/json'];

/** Terraform's states, which only the document for human readers contains: they are no resource of Kubernetes. */
export const STATE_OPERATIONS: readonly ApiOperation[] = [
  leaseOperation('state', {
    id: 'readLeaseState',
    method: 'get',
    description: 'Read the newest state, or list its versions. 404 if there is none.',
    consumes: [],
    produces: JSON_TYPE,
    parameters: [
      { name: 'version', in: 'query', type: 'integer', description: 'The number of an older version to read instead.' },
      { name: 'versions', in: 'query', type: 'boolean', description: 'List the versions, the newest first, without their content.' },
    ],
  }),
  leaseOperation('state', {
    id: 'storeLeaseState',
    method: 'post',
    description: 'Store a state as a new version. 423 if somebody else holds the lease, 409 if the client has lost the lock.',
    consumes: JSON_TYPE,
    parameters: [LOCK_ID],
  }),
  leaseOperation('state', {
    id: 'removeLeaseState',
    method: 'delete',
    description: 'Remove a state with all its versions, under the same lock.',
    consumes: [],
    parameters: [LOCK_ID],
  }),
];
