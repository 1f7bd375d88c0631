import type { ApiOperation, ApiParameter } from '../../../../endpoints/openapi/api-operation.js';
import { groupVersionPath } from '../../../../endpoints/routing/resource-routes.js';
import { leaseDefinition, leaseV1 } from '../lease.resource.js';

const PLACE: readonly ApiParameter[] = [
  { name: 'namespace', in: 'path', type: 'string', description: 'Namespace of the lease.', shared: true, example: 'default' },
  { name: 'name', in: 'path', type: 'string', description: 'Name of the lease.', shared: true, example: 'example' },
];
const LOCK_ID: ApiParameter = {
  name: 'ID',
  in: 'query',
  type: 'string',
  description: 'The ID of the lock that the client has; without it, nobody may have the lock.',
};

type Own = Pick<ApiOperation, 'id' | 'method' | 'description' | 'parameters' | 'consumes' | 'produces'>;

function stateOperation({ parameters, ...own }: Own): ApiOperation {
  const root = groupVersionPath(leaseDefinition.group, leaseV1.name);
  const path = `${root}/namespaces/{namespace}/${leaseDefinition.resource}/{name}/state`;
  return { ...own, path, tag: 'lock', parameters: [...PLACE, ...parameters], codes: [200] };
}

const JSON_TYPE = ['application/json'];
const TEXT = ['text/plain'];

/** Terraform's states, which only the document for human readers contains: they are no resource of Kubernetes. */
export const STATE_OPERATIONS: readonly ApiOperation[] = [
  stateOperation({
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
  stateOperation({
    id: 'storeLeaseState',
    method: 'post',
    description: 'Store a state as a new version. 423 if somebody else holds the lease, 409 if the client has lost the lock.',
    consumes: JSON_TYPE,
    produces: TEXT,
    parameters: [LOCK_ID],
  }),
  stateOperation({
    id: 'removeLeaseState',
    method: 'delete',
    description: 'Remove a state with all its versions, under the same lock.',
    consumes: [],
    produces: TEXT,
    parameters: [LOCK_ID],
  }),
];
