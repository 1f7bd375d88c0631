import type { ApiError } from '../../apimachinery/errors/api-error.js';
import { resourceNotFound } from '../../apimachinery/errors/status-errors.js';
import type { RequestInfo } from '../request-info/request-info.js';

const LEASES = 'but Leases (coordination.k8s.io/v1), with which leaders can be elected';

/** Kinds of core/v1 that clients of this API still ask for: old elections keep their records in them, Helm and Terraform their releases and states. */
const ABSENT: ReadonlyMap<string, string> = new Map([
  ['configmaps', `ConfigMaps, ${LEASES}`],
  ['endpoints', `Endpoints, ${LEASES}`],
  ['secrets', "Secrets: apply what `helm template` prints, and keep Terraform's state with its http backend"],
]);

/** 404 for a resource that is not served. A client that would keep something else in it learns what to use instead. */
export function absentResource({ apiGroup, resource }: Pick<RequestInfo, 'apiGroup' | 'resource'>): ApiError {
  const absent = apiGroup === '' ? ABSENT.get(resource) : undefined;
  return resourceNotFound(absent && `this server has no ${absent}`);
}
