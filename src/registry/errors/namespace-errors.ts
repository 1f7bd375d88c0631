import { ApiError } from '../../apimachinery/errors/api-error.js';
import { notFound } from '../../apimachinery/errors/status-errors.js';
import { omitEmpty } from '../../apimachinery/go/omit-empty.js';
import { type GroupResource, qualifiedResource } from '../../apimachinery/schema/group-resource.js';

const NAMESPACES: GroupResource = { group: '', resource: 'namespaces' };

/** The 404 for a write into a missing namespace. */
export function namespaceNotFound(namespace: string): ApiError {
  return notFound(NAMESPACES, namespace);
}

/** The 403 for a create in a terminating namespace (apiserver pkg/admission/plugin/namespace/lifecycle). */
export function namespaceTerminating(resource: GroupResource, name: string, namespace: string): ApiError {
  const reason = `unable to create new content in namespace ${namespace} because it is being terminated`;
  return new ApiError({
    code: 403,
    reason: 'Forbidden',
    message: `${qualifiedResource(resource)} "${name}" is forbidden: ${reason}`,
    details: {
      ...omitEmpty({ name, group: resource.group, kind: resource.resource }),
      causes: [{ reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' }],
    },
  });
}
